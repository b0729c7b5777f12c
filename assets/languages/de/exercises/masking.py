"""Schreib es selbst: wie Wörter verdeckt werden, während BERT trainiert wird.

Zwei Funktionen haben eine Lücke: Nimm `raise NotImplementedError` heraus und schreibe, was fehlt. NumPy genügt.
So wird die Datei daran geprüft, was das Training tut:

    bertscope lesson --language de check masking.py

Jede Funktion wird 2000-mal aufgerufen, und die Anteile werden gezählt. S: Token des Textes.
`rng` ist ein Zufallsgenerator von NumPy: `rng.random(5)` sind fünf Zahlen von 0 bis 1, `rng.choice(places, 3,
replace=False)` drei verschiedene eines Arrays, `rng.integers(0, 9)` eine ganze Zahl von 0 bis 8.
"""

import numpy as np

SHARE = 0.15  # der Wörter, die zu raten sind


def choose(is_special, rng):
    """Welche Token das Modell raten muss: 15 % der Wörter, auf eine ganze Zahl gerundet, und mindestens eines.

    is_special: (S), True für [CLS], [SEP] und [PAD], die nie ausgewählt werden. Ergebnis: (S), True, wo ausgewählt.
    """
    raise NotImplementedError


def hide(ids, chosen, mask_id, words, rng):
    """Was das Modell statt der ausgewählten Token sieht: zu 80 % [MASK], zu 10 % ein Zufallswort, zu 10 % sie selbst.

    Über jedes ausgewählte Token wird einzeln gelost. ids: (S), ganze Zahlen; chosen: (S), True oder False; mask_id: die
    Nummer von [MASK]; words: die Nummern, die ein Zufallswort haben darf. Ergebnis: (S), ein neues Array.
    """
    raise NotImplementedError
