// The heads of one text: a picture of each to choose from, and lines from the tokens that look to those looked at.
// Every view on the page that has not been started yet is started, so that several can stand in one notebook.
(() => {
  const ROW = 22, WIDTH = 130, LEAST = 8; // px of a token's row and of the lines; weights of 255 below which none is drawn

  function start(root) {
    root.dataset.started = "yes";
    root.querySelector(".view").textContent = ""; // what stands there where no script runs
    const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const bytes = Uint8Array.from(atob(data.weights), (character) => character.charCodeAt(0));
    const { tokens, kinds, layers, heads } = data, size = tokens.length;
    const weight = (i, j) => bytes[((layer * heads + head) * size + i) * size + j];
    let layer = 0, head = 0, over = null, pinned = null; // of a token: {side: "looks" or "looked", index}

    const view = add(root.querySelector(".view"), "div", "choose");
    const layerBox = choice(view, "Layer", layers), headBox = choice(view, "Head", heads);
    const grid = add(view, "canvas", "grid"), links = add(root.querySelector(".view"), "div");
    const lines = add(links, "div", "links"), looks = add(lines, "div", "looks");
    const canvas = add(lines, "canvas"), looked = add(lines, "div", "looked"), said = add(links, "p", "said");
    said.setAttribute("aria-live", "polite");
    const sides = { looks: tokens.map((_, i) => token(looks, "looks", i)), looked: tokens.map((_, i) => token(looked, "looked", i)) };

    function add(parent, name, kind = "", words = "") {
      const made = parent.appendChild(document.createElement(name));
      made.className = kind;
      made.textContent = words; // never as HTML: words come from a text
      return made;
    }

    function choice(parent, name, count) {
      const box = add(add(parent, "label", "", name + " "), "select");
      for (let i = 0; i < count; i++) add(box, "option", "", i);
      box.onchange = () => choose(Number(layerBox.value), Number(headBox.value));
      return box;
    }

    function token(parent, side, index) {
      const row = add(parent, "div", "row"), number = side === "looks" ? add(row, "small") : null;
      const word = add(row, "span", "token", tokens[index]);
      row.tabIndex = 0;
      row.onmouseenter = row.onfocus = () => { over = { side, index }; show(); };
      row.onmouseleave = row.onblur = () => { over = null; show(); };
      row.onclick = () => { pinned = pinned && pinned.side === side && pinned.index === index ? null : { side, index }; show(); };
      return { row, word, number: number || add(row, "small") };
    }

    function choose(newLayer, newHead) {
      layer = Math.min(Math.max(newLayer, 0), layers - 1);
      head = Math.min(Math.max(newHead, 0), heads - 1);
      layerBox.value = layer;
      headBox.value = head;
      drawGrid();
      show();
    }

    // the colours of the style sheet, for canvases
    const colors = (names) => names.map((name) => {
      const probe = add(root, "i", name), color = getComputedStyle(probe).backgroundColor;
      probe.remove();
      return color.match(/\d+/g).slice(0, 3).map(Number);
    });
    const scale = () => colors(Array.from({ length: 16 }, (_, i) => "q" + i));

    function sharp(target, width, height) {
      const ratio = window.devicePixelRatio || 1;
      [target.width, target.height] = [width * ratio, height * ratio];
      [target.style.width, target.style.height] = [width + "px", height + "px"];
      const context = target.getContext("2d");
      context.scale(ratio, ratio);
      return context;
    }

    const cell = Math.min(Math.max(Math.floor(420 / heads), 14), 40); // px of a head's picture
    function drawGrid() {
      const context = sharp(grid, heads * cell, layers * cell), ramp = scale();
      const small = new OffscreenCanvas(size, size), inner = small.getContext("2d"), pixels = inner.createImageData(size, size);
      context.imageSmoothingEnabled = size > cell;
      for (let at = 0; at < layers * heads; at++) {
        for (let i = 0; i < size * size; i++) {
          const [red, green, blue] = ramp[Math.round((bytes[at * size * size + i] / 255) * 15)];
          pixels.data.set([red, green, blue, 255], 4 * i);
        }
        inner.putImageData(pixels, 0, 0);
        context.drawImage(small, (at % heads) * cell + 1, Math.floor(at / heads) * cell + 1, cell - 2, cell - 2);
      }
      context.strokeStyle = getComputedStyle(root).getPropertyValue("--accent");
      context.lineWidth = 2;
      context.strokeRect(head * cell + 1, layer * cell + 1, cell - 2, cell - 2);
    }
    const place = (event) => [Math.floor(event.offsetY / cell), Math.floor(event.offsetX / cell)];
    grid.onclick = (event) => choose(...place(event));
    grid.onmousemove = (event) => { const [l, h] = place(event); grid.title = `layer ${l}, head ${h}`; };
    grid.tabIndex = 0;
    grid.setAttribute("role", "img");
    grid.setAttribute("aria-label", "All heads: a row for each layer. The arrow keys choose one.");
    grid.onkeydown = (event) => {
      const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [];
      if (down === undefined) return;
      event.preventDefault();
      choose(layer + down, head + right);
    };
    root.addEventListener("keydown", (event) => { if (event.key === "Escape") { pinned = over = null; show(); } });

    function show() {
      const active = over || pinned, context = sharp(canvas, WIDTH, size * ROW);
      context.strokeStyle = getComputedStyle(root).getPropertyValue("--accent");
      for (let i = 0; i < size; i++) {
        if (active && active.side === "looks" && active.index !== i) continue;
        for (let j = 0; j < size; j++) {
          const here = weight(i, j);
          if (here < LEAST || (active && active.side === "looked" && active.index !== j)) continue;
          context.globalAlpha = here / 255;
          context.lineWidth = 0.5 + (2.5 * here) / 255;
          context.beginPath();
          context.moveTo(4, (i + 0.5) * ROW);
          context.bezierCurveTo(WIDTH / 2, (i + 0.5) * ROW, WIDTH / 2, (j + 0.5) * ROW, WIDTH - 4, (j + 0.5) * ROW);
          context.stroke();
        }
      }
      for (const side of ["looks", "looked"]) {
        sides[side].forEach(({ row, word, number }, index) => {
          const isOther = active && active.side !== side;
          const here = isOther ? (side === "looked" ? weight(active.index, index) : weight(index, active.index)) : 0;
          row.className = "row" + (active && active.side === side && active.index === index ? " active" : "");
          word.className = "token " + (isOther ? "q" + Math.round((here / 255) * 15) : kinds[index]);
          number.textContent = isOther && here > 2 ? Math.round((here / 255) * 100) + "%" : "";
        });
      }
      said.textContent = active ? sentence(active) : "Hover a token: on the left to see what it looks at, on the right to see what looks at it. A click keeps it.";
    }

    function sentence({ side, index }) {
      const others = tokens.map((word, i) => [side === "looks" ? weight(index, i) : weight(i, index), word]);
      const most = others.sort((a, b) => b[0] - a[0]).slice(0, 3).filter(([here]) => here >= LEAST);
      const listed = most.map(([here, word]) => `${word} ${Math.round((here / 255) * 100)}%`).join(", ") || "nothing above 3%";
      return `${tokens[index]} ${side === "looks" ? "looks at" : "is looked at by"}: ${listed}`;
    }

    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => choose(layer, head));
    choose(layers >> 1, 0);
  }

  document.querySelectorAll(".bertscope.attention:not([data-started])").forEach(start);
})();
