<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
<name>BERTscope</name>
<message>
<source> then: longer sequences →</source>
<translation> danach: längere Texte →</translation>
</message>
<message>
<source> then: masked words →</source>
<translation> danach: maskierte Wörter →</translation>
</message>
<message>
<source>##: a piece that continues a word.</source>
<translation>##: ein Stück, das ein Wort fortsetzt.</translation>
</message>
<message>
<source>##: it continues the word before it</source>
<translation>##: setzt das Wort davor fort</translation>
</message>
<message>
<source>##: it continues the word.</source>
<translation>##: setzt das Wort fort.</translation>
</message>
<message>
<source>% of the sentences</source>
<translation>% der Sätze</translation>
</message>
<message numerus="yes">
<source>%Ln answer(s)</source>
<translation>
<numerusform>%Ln Antwort</numerusform>
<numerusform>%Ln Antworten</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln change(s) of one word do so.</source>
<translation>
<numerusform>%Ln Änderung eines Worts tut das.</numerusform>
<numerusform>%Ln Änderungen eines Worts tun das.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln cut to the length that the model reads</source>
<translation>
<numerusform>%Ln auf die Länge gekürzt, die das Modell liest</numerusform>
<numerusform>%Ln auf die Länge gekürzt, die das Modell liest</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln document(s)</source>
<translation>
<numerusform>%Ln Dokument</numerusform>
<numerusform>%Ln Dokumente</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln example(s)</source>
<translation>
<numerusform>%Ln Beispiel</numerusform>
<numerusform>%Ln Beispiele</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln other(s)</source>
<translation>
<numerusform>%Ln weiterer</numerusform>
<numerusform>%Ln weitere</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln pair(s)</source>
<translation>
<numerusform>%Ln Paar</numerusform>
<numerusform>%Ln Paare</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln sentence(s)</source>
<translation>
<numerusform>%Ln Satz</numerusform>
<numerusform>%Ln Sätze</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln sentence(s) could not be tried.</source>
<translation>
<numerusform>%Ln Satz ließ sich nicht prüfen.</numerusform>
<numerusform>%Ln Sätze ließen sich nicht prüfen.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln token(s)</source>
<translation>
<numerusform>%Ln Token</numerusform>
<numerusform>%Ln Token</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln token(s) (was|were) dropped: the model reads at most {most}.</source>
<translation>
<numerusform>%Ln Token fiel weg: Das Modell liest höchstens {most}.</numerusform>
<numerusform>%Ln Token fielen weg: Das Modell liest höchstens {most}.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln token(s) compared</source>
<translation>
<numerusform>%Ln Token verglichen</numerusform>
<numerusform>%Ln Token verglichen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln token(s) compared, none left out; near-duplicates are not repeated</source>
<translation>
<numerusform>%Ln Token verglichen, keines ausgelassen; fast Gleiches steht nur einmal da</numerusform>
<numerusform>%Ln Token verglichen, keines ausgelassen; fast Gleiches steht nur einmal da</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln training example(s)</source>
<translation>
<numerusform>%Ln Trainingsbeispiel</numerusform>
<numerusform>%Ln Trainingsbeispiele</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln use(s), repeats counted, and “here”</source>
<translation>
<numerusform>%Ln Verwendung, mit Wiederholungen, und „hier“</numerusform>
<numerusform>%Ln Verwendungen, mit Wiederholungen, und „hier“</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%Ln word(s)</source>
<translation>
<numerusform>%Ln Wort</numerusform>
<numerusform>%Ln Wörter</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n (was|were) too long and had to be cut.</source>
<translation>
<numerusform>%n war zu lang und musste gekürzt werden.</numerusform>
<numerusform>%n waren zu lang und mussten gekürzt werden.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n batch size(s)</source>
<translation>
<numerusform>%n Batchgröße</numerusform>
<numerusform>%n Batchgrößen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n cluster(s)</source>
<translation>
<numerusform>%n Cluster</numerusform>
<numerusform>%n Cluster</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n column(s)</source>
<translation>
<numerusform>%n Spalte</numerusform>
<numerusform>%n Spalten</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n dimension(s)</source>
<translation>
<numerusform>%n Dimension</numerusform>
<numerusform>%n Dimensionen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n example(s)</source>
<translation>
<numerusform>%n Beispiel</numerusform>
<numerusform>%n Beispiele</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n file(s) from the settings</source>
<translation>
<numerusform>%n Datei aus den Einstellungen</numerusform>
<numerusform>%n Dateien aus den Einstellungen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n handed in</source>
<translation>
<numerusform>%n Abgabe</numerusform>
<numerusform>%n Abgaben</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n head(s)</source>
<translation>
<numerusform>%n Kopf</numerusform>
<numerusform>%n Köpfe</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n head(s) in which “{who}” looks at “{what}” a lot</source>
<translation>
<numerusform>%n Kopf, in dem „{who}“ stark auf „{what}“ schaut</numerusform>
<numerusform>%n Köpfe, in denen „{who}“ stark auf „{what}“ schaut</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n head(s), ranked by {measure}</source>
<translation>
<numerusform>%n Kopf, geordnet nach {measure}</numerusform>
<numerusform>%n Köpfe, geordnet nach {measure}</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n layer(s)</source>
<translation>
<numerusform>%n Schicht</numerusform>
<numerusform>%n Schichten</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n learning rate(s)</source>
<translation>
<numerusform>%n Lernrate</numerusform>
<numerusform>%n Lernraten</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n length(s)</source>
<translation>
<numerusform>%n Dauer</numerusform>
<numerusform>%n Dauern</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n line(s), {share} of the difference</source>
<translation>
<numerusform>%n Linie, {share} des Unterschieds</numerusform>
<numerusform>%n Linien, {share} des Unterschieds</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n masked</source>
<translation>
<numerusform>%n maskiert</numerusform>
<numerusform>%n maskiert</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n neuron(s)</source>
<translation>
<numerusform>%n Neuron</numerusform>
<numerusform>%n Neuronen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n of {counted} (is|are) longer than {limit} tokens and will be cut.</source>
<translation>
<numerusform>%n von {counted} ist länger als {limit} Tokens und wird gekürzt.</numerusform>
<numerusform>%n von {counted} sind länger als {limit} Tokens und werden gekürzt.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n of {counted} (is|are) longer than {limit} tokens, so the model reads (it|them) in overlapping windows.</source>
<translation>
<numerusform>%n von {counted} ist länger als {limit} Tokens und wird in überlappenden Fenstern gelesen.</numerusform>
<numerusform>%n von {counted} sind länger als {limit} Tokens und werden in überlappenden Fenstern gelesen.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n of {counted} sentences (is|are) longer than {limit} tokens and read in pieces.</source>
<translation>
<numerusform>%n von {counted} Sätzen ist länger als {limit} Tokens und wird in Stücken gelesen.</numerusform>
<numerusform>%n von {counted} Sätzen sind länger als {limit} Tokens und werden in Stücken gelesen.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n of {of} examples, epoch {epoch}.</source>
<translation>
<numerusform>%n von {of} Beispielen, Epoche {epoch}.</numerusform>
<numerusform>%n von {of} Beispielen, Epoche {epoch}.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n page(s)</source>
<translation>
<numerusform>%n Seite</numerusform>
<numerusform>%n Seiten</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n pair(s)</source>
<translation>
<numerusform>%n Paar</numerusform>
<numerusform>%n Paare</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n problem(s): see the end of this page.</source>
<translation>
<numerusform>%n Problem: siehe Ende dieser Seite.</numerusform>
<numerusform>%n Probleme: siehe Ende dieser Seite.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n question(s)</source>
<translation>
<numerusform>%n Frage</numerusform>
<numerusform>%n Fragen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n run(s)</source>
<translation>
<numerusform>%n Lauf</numerusform>
<numerusform>%n Läufe</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n seed(s)</source>
<translation>
<numerusform>%n Seed</numerusform>
<numerusform>%n Seeds</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n sequence(s)</source>
<translation>
<numerusform>%n Sequenz</numerusform>
<numerusform>%n Sequenzen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n snapshot(s)</source>
<translation>
<numerusform>%n Snapshot</numerusform>
<numerusform>%n Snapshots</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n snapshot(s) kept</source>
<translation>
<numerusform>%n Snapshot behalten</numerusform>
<numerusform>%n Snapshots behalten</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n step(s)</source>
<translation>
<numerusform>%n Schritt</numerusform>
<numerusform>%n Schritte</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n task(s)</source>
<translation>
<numerusform>%n Aufgabe</numerusform>
<numerusform>%n Aufgaben</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n text file(s)</source>
<translation>
<numerusform>%n Textdatei</numerusform>
<numerusform>%n Textdateien</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n text(s)</source>
<translation>
<numerusform>%n Text</numerusform>
<numerusform>%n Texte</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n token(s)</source>
<translation>
<numerusform>%n Token</numerusform>
<numerusform>%n Token</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n token(s) cut</source>
<translation>
<numerusform>%n Token abgeschnitten</numerusform>
<numerusform>%n Token abgeschnitten</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n token(s) in all</source>
<translation>
<numerusform>%n Token insgesamt</numerusform>
<numerusform>%n Token insgesamt</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n vector(s)</source>
<translation>
<numerusform>%n Vektor</numerusform>
<numerusform>%n Vektoren</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n word(s) to the left</source>
<translation>
<numerusform>%n Wort links</numerusform>
<numerusform>%n Wörter links</numerusform>
</translation>
</message>
<message numerus="yes">
<source>%n word(s) to the right</source>
<translation>
<numerusform>%n Wort rechts</numerusform>
<numerusform>%n Wörter rechts</numerusform>
</translation>
</message>
<message>
<source>(second try)</source>
<translation>(zweiter Versuch)</translation>
</message>
<message>
<source>(swapped − this text) / (other text − this text), of ln p</source>
<translation>(ausgetauscht − dieser Text) / (anderer Text − dieser Text), von ln p</translation>
</message>
<message>
<source>(x − mean) / √(variance + ε) × scale + shift</source>
<translation>(x − Mittelwert) / √(Varianz + ε) × Skalierung + Verschiebung</translation>
</message>
<message>
<source>+0.7 on a word: it doubles the odds of “{first}” against “{second}”; −0.7 halves them.</source>
<translation>+0,7 auf einem Wort: Es verdoppelt die Chancen von „{first}“ gegen „{second}“; −0,7 halbiert sie.</translation>
</message>
<message>
<source>+0.7 on a word: it makes the answer about twice as likely; −0.7: half as likely.</source>
<translation>+0,7 bei einem Wort: Es macht die Antwort etwa doppelt so wahrscheinlich; −0,7: halb so wahrscheinlich.</translation>
</message>
<message>
<source>, the word in the text</source>
<translation>, das Wort im Text</translation>
</message>
<message>
<source>/ {total} steps</source>
<translation>/ {total} Schritte</translation>
</message>
<message>
<source>0 bits: certain. 1 bit: a coin toss. 10 bits: one in a thousand. Pseudo-perplexity: as if the model chose among that many equally likely words; 2 to the power of the mean, {mean} bits over {count} tokens.</source>
<translation>0 Bit: sicher. 1 Bit: ein Münzwurf. 10 Bit: eins zu tausend. Pseudo-Perplexität: als wählte das Modell unter so vielen gleich wahrscheinlichen Wörtern; 2 hoch das Mittel, {mean} Bit über {count} Token.</translation>
</message>
<message>
<source>0.1 in the paper. The rest stays as it is and has to be guessed all the same.</source>
<translation>In der Veröffentlichung 0,1. Der Rest bleibt, wie er ist, und ist trotzdem zu erraten.</translation>
</message>
<message>
<source>0.15 in the paper: 15 of 100 tokens.</source>
<translation>In der Veröffentlichung 0,15: 15 von 100 Token.</translation>
</message>
<message>
<source>0.8 in the paper; 1 means all of them.</source>
<translation>In der Veröffentlichung 0,8; 1 heißt alle.</translation>
</message>
<message>
<source>0: certain. 1: a coin toss. 10: one in a thousand. The number above says how unsure the model is on average: as if it chose among that many equally likely words.</source>
<translation>0: sicher. 1: ein Münzwurf. 10: eins zu tausend. Die Zahl darüber sagt, wie unsicher das Modell im Mittel ist: als wählte es unter so vielen gleich wahrscheinlichen Wörtern.</translation>
</message>
<message>
<source>0: no change, 1: entirely different tokens. Average {mean}.</source>
<translation>0: gleich, 1: ganz andere Token. Mittel {mean}.</translation>
</message>
<message>
<source>0: the same vector</source>
<translation>0: derselbe Vektor</translation>
</message>
<message>
<source>1 line, {share} of the attention</source>
<translation>1 Linie, {share} der Attention</translation>
</message>
<message>
<source>1 − u · v / (|u| |v|)</source>
<translation>1 − u · v / (|u| |v|)</translation>
</message>
<message>
<source>1. Its weight</source>
<translation>1. Sein Gewicht</translation>
</message>
<message>
<source>1. Open the file in a text editor or a spreadsheet, and go to line {line}.</source>
<translation>1. Die Datei in einem Texteditor oder einer Tabellenkalkulation öffnen und zu Zeile {line} gehen.</translation>
</message>
<message>
<source>1. What does the model predict?</source>
<translation>1. Was sagt das Modell voraus?</translation>
</message>
<message>
<source>100% [MASK]</source>
<translation>100 % [MASK]</translation>
</message>
<message>
<source>100% random</source>
<translation>100 % zufällig</translation>
</message>
<message>
<source>1: the same direction</source>
<translation>1: dieselbe Richtung</translation>
</message>
<message>
<source>1–{count}, Enter: check</source>
<translation>1–{count}, Enter: prüfen</translation>
</message>
<message>
<source>2 ^ mean(−log₂ p)</source>
<translation>2 ^ Mittel(−log₂ p)</translation>
</message>
<message>
<source>2. All heads</source>
<translation>2. Alle Köpfe</translation>
</message>
<message>
<source>2. Correct it, so that it looks like the lines around it.</source>
<translation>2. Die Zeile so verbessern, dass sie aussieht wie die Zeilen um sie herum.</translation>
</message>
<message>
<source>2. Correct it: every line needs the same columns, with a tab between them.</source>
<translation>2. Die Zeile verbessern: Jede Zeile braucht dieselben Spalten, mit einem Tabulator dazwischen.</translation>
</message>
<message>
<source>2. What it adds</source>
<translation>2. Was es hinzufügt</translation>
</message>
<message>
<source>20 to 49%</source>
<translation>20 bis 49 %</translation>
</message>
<message>
<source>3. Save the file, and check it again here.</source>
<translation>3. Die Datei speichern und hier noch einmal prüfen.</translation>
</message>
<message>
<source>50 to 79%</source>
<translation>50 bis 79 %</translation>
</message>
<message>
<source>512 where nothing else is said.</source>
<translation>512, wenn nichts anderes dasteht.</translation>
</message>
<message>
<source>80 / 10 / 10</source>
<translation>80 / 10 / 10</translation>
</message>
<message>
<source>80% became [MASK], but no random words are put in.</source>
<translation>80 % wurden [MASK], aber es gibt keine Zufallswörter.</translation>
</message>
<message>
<source>80% became [MASK], but none of the others stayed.</source>
<translation>80 % wurden [MASK], aber von den anderen blieb keines stehen.</translation>
</message>
<message>
<source>80% or more</source>
<translation>80 % und mehr</translation>
</message>
<message>
<source>80, 10 and 10% are shares of what is chosen; all other tokens stay as they are.</source>
<translation>80, 10 und 10 % sind Anteile des Ausgewählten; alle anderen Token bleiben, wie sie sind.</translation>
</message>
<message>
<source>95% interval</source>
<translation>95-%-Intervall</translation>
</message>
<message>
<source>95% intervals by Wilson</source>
<translation>95-%-Intervalle nach Wilson</translation>
</message>
<message>
<source>95% intervals by Wilson; Fisher’s exact test, corrected for all slices of a sort</source>
<translation>95-%-Intervalle nach Wilson; exakter Test nach Fisher, korrigiert für alle Ausschnitte einer Art</translation>
</message>
<message>
<source>95% intervals in the file, bootstrap by sentence; on the half that was not learned from</source>
<translation>95-%-Intervalle in der Datei, Bootstrap nach Sätzen; auf der Hälfte, aus der nicht gelernt wurde</translation>
</message>
<message>
<source>95% intervals, bootstrap by sentence or example, beside 20 random orders</source>
<translation>95-%-Intervalle, Bootstrap nach Sätzen oder Beispielen, neben 20 zufälligen Reihenfolgen</translation>
</message>
<message>
<source>95% intervals, bootstrap by sentence, each relation for itself; on the half that was not chosen on</source>
<translation>95-%-Intervalle, Bootstrap nach Sätzen, jede Beziehung für sich; auf der Hälfte, auf der nicht ausgewählt wurde</translation>
</message>
<message>
<source>95% intervals, bootstrap-t by context</source>
<translation>95-%-Intervalle, Bootstrap-t nach Kontexten</translation>
</message>
<message>
<source>95% intervals, bootstrap-t by pair, for all heads together (Westfall and Young)</source>
<translation>95-%-Intervalle, Bootstrap-t nach Paaren, für alle Heads zusammen (Westfall und Young)</translation>
</message>
<message>
<source>A CSV table; its first line names the columns.</source>
<translation>Eine CSV-Tabelle; ihre erste Zeile benennt die Spalten.</translation>
</message>
<message>
<source>A Parquet table.</source>
<translation>Eine Parquet-Tabelle.</translation>
</message>
<message>
<source>A Transformer that reads from left to right, pretrained, then fine-tuned with hardly any new parts</source>
<translation>Ein Transformer, der von links nach rechts liest, vortrainiert und dann mit kaum neuen Teilen feingetunt</translation>
</message>
<message>
<source>A and B</source>
<translation>A und B</translation>
</message>
<message>
<source>A and B are in order (document {a})</source>
<translation>A und B stehen in der richtigen Reihenfolge (Dokument {a})</translation>
</message>
<message>
<source>A and B are swapped (document {a})</source>
<translation>A und B sind vertauscht (Dokument {a})</translation>
</message>
<message>
<source>A and B as a batch of two</source>
<translation>A und B als Batch</translation>
</message>
<message>
<source>A and B as one input</source>
<translation>A und B als eine Eingabe</translation>
</message>
<message>
<source>A and B, and what the model reads</source>
<translation>A und B, und was das Modell liest</translation>
</message>
<message>
<source>A bank can keep money or be the edge of a river: does the model know? In the embeddings (emb.) only the word’s position differs. At which layer do its meanings separate?</source>
<translation>Eine „bank“ kann Geld verwahren oder ein Flussufer sein: Weiß das Modell das? In den Embeddings (Emb.) ist nur die Position des Wortes anders. Ab welcher Schicht trennen sich die Bedeutungen?</translation>
</message>
<message>
<source>A bar is what one part adds to the word’s score. Red: it speaks for the word. Blue: against it. Click a part to see its words.</source>
<translation>Ein Balken ist das, was ein Teil zum Wert des Wortes beiträgt. Rot: spricht für das Wort. Blau: dagegen. Ein Klick auf einen Teil zeigt seine Wörter.</translation>
</message>
<message>
<source>A bar of +0.01 makes {prediction} 1% more likely.</source>
<translation>Ein Balken von +0,01 macht {prediction} um 1 % wahrscheinlicher.</translation>
</message>
<message>
<source>A bar of +0.01 raises the odds of “{first}” against “{second}” by 1%.</source>
<translation>Ein Balken von +0,01 hebt die Chancen von „{first}“ gegen „{second}“ um 1 %.</translation>
</message>
<message>
<source>A changed world from a file</source>
<translation>Eine geänderte Welt aus einer Datei</translation>
</message>
<message>
<source>A checkpoint folder…</source>
<translation>Ein Checkpoint-Ordner…</translation>
</message>
<message>
<source>A checkpoint in which they add what they add on average; it opens everywhere</source>
<translation>Ein Checkpoint, in dem sie hinzufügen, was sie im Mittel hinzufügen; er lässt sich überall öffnen</translation>
</message>
<message>
<source>A choice needs two options or more, and one that is right.</source>
<translation>Eine Auswahlfrage braucht mindestens zwei Möglichkeiten, davon eine richtige.</translation>
</message>
<message>
<source>A comes before B</source>
<translation>A kommt vor B</translation>
</message>
<message>
<source>A command before the first page; begin a page with “# Title”.</source>
<translation>Ein Befehl vor der ersten Seite; eine Seite beginnt mit „# Titel“.</translation>
</message>
<message>
<source>A command is missing after “::”.</source>
<translation>Nach „::“ fehlt ein Befehl.</translation>
</message>
<message>
<source>A conditional random field learns which tag may follow which</source>
<translation>Ein Conditional Random Field lernt, welcher Tag auf welchen folgen darf</translation>
</message>
<message>
<source>A file…</source>
<translation>Eine Datei…</translation>
</message>
<message>
<source>A film strip shows one model at several saved steps (snapshots) of its training, side by side: how its attention and its guesses change. {tiny} has ten.</source>
<translation>Ein Filmstreifen zeigt ein Modell bei mehreren gespeicherten Schritten (Snapshots) seines Trainings nebeneinander: wie sich Attention und Vorhersagen ändern. {tiny} hat zehn.</translation>
</message>
<message>
<source>A folder…</source>
<translation>Ein Ordner…</translation>
</message>
<message>
<source>A head can look at a word and not use it. Removal takes each link away: red links support the answer, blue ones work against it. Where the head hardly looks there is nothing to take away: 0.</source>
<translation>Ein Kopf kann auf ein Wort schauen und es nicht nutzen. Wegnehmen zeigt es: Rote Verbindungen sprechen für die Antwort, blaue dagegen. Wohin er kaum schaut, gibt es nichts wegzunehmen: 0.</translation>
</message>
<message>
<source>A head lets each token collect information from others. Row: the token that looks. Column: what it looks at. Stronger colour: more.</source>
<translation>Mit einem Kopf holt sich jedes Token Information von anderen. Zeile: das Token, das schaut. Spalte: worauf es schaut. Kräftigere Farbe: mehr.</translation>
</message>
<message>
<source>A is empty: type a sentence there too.</source>
<translation>A ist leer: auch dort einen Satz eintippen.</translation>
</message>
<message>
<source>A is the beginning; the endings are typed on the left.</source>
<translation>A ist der Anfang; die Schlüsse werden links eingegeben.</translation>
</message>
<message>
<source>A is the question; the passage is typed on the left.</source>
<translation>A ist die Frage; der Text wird links eingegeben.</translation>
</message>
<message>
<source>A language model is pretrained, then fine-tuned as a whole for a task</source>
<translation>Ein Sprachmodell wird vortrainiert und dann als Ganzes für eine Aufgabe feingetunt</translation>
</message>
<message>
<source>A layer does not replace what a token is: it adds to it. Which half of a layer adds more: attention, which collects information from other tokens, or feed-forward, which works on the token alone?</source>
<translation>Eine Schicht ersetzt nicht, was ein Token ist: Sie fügt etwas hinzu. Welche Hälfte einer Schicht fügt mehr hinzu: Attention, die Information von anderen Token einsammelt, oder Feed-Forward, das nur am Token selbst arbeitet?</translation>
</message>
<message>
<source>A lesson can open only models that ship: open another one, and copy again.</source>
<translation>Eine Lektion kann nur mitgelieferte Modelle öffnen: zuerst ein anderes öffnen, dann noch einmal kopieren.</translation>
</message>
<message>
<source>A lesson has at most {most} pages.</source>
<translation>Eine Lektion hat höchstens {most} Seiten.</translation>
</message>
<message>
<source>A lesson has no pictures: the window itself is shown; use highlight.</source>
<translation>Eine Lektion hat keine Bilder: Gezeigt wird das Fenster selbst; dafür gibt es highlight.</translation>
</message>
<message>
<source>A line is one token, from its embedding (emb.) through all layers; its mark is at the slider’s layer, its small name at the end. Blue circle: in A. Orange square: in B. Where all lines bend together, a layer adds much the same to every token; what tells tokens apart is which lines lie side by side. {alike}</source>
<translation>Eine Linie ist ein Token, von seinem Embedding (Emb.) durch alle Schichten; seine Marke steht bei der Schicht des Reglers, klein sein Name am Ende. Blauer Kreis: in A. Oranges Quadrat: in B. Wo alle Linien gemeinsam abbiegen, fügt eine Schicht jedem Token fast dasselbe hinzu; was Token unterscheidet, ist, welche Linien nebeneinanderliegen. {alike}</translation>
</message>
<message>
<source>A lower learning rate usually helps.</source>
<translation>Meist hilft eine kleinere Lernrate.</translation>
</message>
<message>
<source>A marker that the model adds: not a word, but a place where it can collect information.</source>
<translation>Eine Marke, die das Modell hinzufügt: kein Wort, sondern ein Platz, an dem es Information sammeln kann.</translation>
</message>
<message>
<source>A microscope for BERT. It works without a network and sends nothing anywhere.</source>
<translation>Ein Mikroskop für BERT. Es braucht kein Netz und sendet nichts.</translation>
</message>
<message>
<source>A model reads numbers, not words. Here you see how each token gets its numbers. Type a word twice: does it enter the model with the same numbers?</source>
<translation>Ein Modell liest Zahlen, keine Wörter. Hier ist zu sehen, wie jedes Token zu seinen Zahlen kommt. Ein Wort zweimal eintippen: Geht es beide Male mit denselben Zahlen in das Modell?</translation>
</message>
<message>
<source>A model that has learned the same task: its answers stand beside these</source>
<translation>Ein Modell, das dieselbe Aufgabe gelernt hat: seine Antworten stehen daneben</translation>
</message>
<message>
<source>A model that knows a language is surprised by mistakes, rare words and twists. Put in a word that does not fit: does it notice?</source>
<translation>Ein Modell, das eine Sprache kennt, ist von Fehlern, seltenen Wörtern und Wendungen überrascht. Ein Wort einsetzen, das nicht passt: Merkt es das?</translation>
</message>
<message>
<source>A neuron works like a detector: it fires for some tokens and makes some words more likely. Click one: can you tell what it detects?</source>
<translation>Ein Neuron arbeitet wie ein Melder: Es feuert bei manchen Token und macht manche Wörter wahrscheinlicher. Eines anklicken: Ist zu erkennen, was es meldet?</translation>
</message>
<message>
<source>A new model learns a language from plain text, by guessing masked words.</source>
<translation>Ein neues Modell lernt eine Sprache aus reinem Text, indem es maskierte Wörter rät.</translation>
</message>
<message>
<source>A new page</source>
<translation>Eine neue Seite</translation>
</message>
<message>
<source>A new run that starts from the weights of its last step</source>
<translation>Ein neuer Lauf, der mit den Gewichten des letzten Schritts beginnt</translation>
</message>
<message>
<source>A new run with a third of its learning rate</source>
<translation>Ein neuer Lauf mit einem Drittel der Lernrate</translation>
</message>
<message>
<source>A number</source>
<translation>Eine Zahl</translation>
</message>
<message>
<source>A number of the answer is not finite (NaN or infinity): is something divided by 0?</source>
<translation>Eine Zahl des Ergebnisses ist nicht endlich (NaN oder unendlich): Wird etwas durch 0 geteilt?</translation>
</message>
<message>
<source>A page asks one question; this is the second.</source>
<translation>Eine Seite stellt eine Frage; das ist die zweite.</translation>
</message>
<message>
<source>A page has one task; this is the second.</source>
<translation>Eine Seite hat eine Aufgabe; das ist die zweite.</translation>
</message>
<message>
<source>A pair is two texts that differ in one word, such as author / authors, so the answer differs, too. Cell: where only this head gives what it gives on the second text, how far does the answer move to that text’s answer? 100%: all the way. Hatched: may be 0.</source>
<translation>Ein Paar sind zwei Texte, die sich in einem Wort unterscheiden, etwa author / authors, und damit auch in der Antwort. Zelle: Wie nahe kommt die Antwort der des zweiten Texts, wenn nur dieser Kopf ausgibt, was er dort ausgibt? 100 %: ganz. Schraffiert: kann 0 sein.</translation>
</message>
<message>
<source>A probe, a linear classifier, learns to read a word’s part of speech (its tag) from the hidden state. Random tags it can only memorise: how far the other curves lie above that one is really in the states.</source>
<translation>Eine Probe, ein linearer Klassifikator, lernt, die Wortart (den Tag) eines Worts aus dem Hidden State abzulesen. Zufällige Tags kann sie nur auswendig lernen: Erst der Abstand der anderen Kurven zu dieser zeigt, was wirklich in den Hidden States steckt.</translation>
</message>
<message>
<source>A quick estimate: if this word counted a little less, how much less likely would the answer be?</source>
<translation>Eine schnelle Schätzung: Wie viel unwahrscheinlicher würde die Antwort, wenn dieses Wort etwas weniger zählte?</translation>
</message>
<message>
<source>A row for each layer, a column for each head. In a picture: row, the token that looks; column, what it looks at; darker, more.</source>
<translation>Eine Zeile für jede Schicht, eine Spalte für jeden Kopf. In einem Bild: Zeile, das Token, das schaut; Spalte, worauf es schaut; dunkler, mehr.</translation>
</message>
<message>
<source>A row of letters and its mirror image: one head finds out which letter to copy.</source>
<translation>Eine Reihe von Buchstaben und ihr Spiegelbild: Ein Kopf findet heraus, welchen Buchstaben er abschreiben muss.</translation>
</message>
<message>
<source>A run is the training of one model. Click one to see it.</source>
<translation>Ein Lauf ist das Training eines Modells. Ein Klick zeigt ihn.</translation>
</message>
<message>
<source>A second sentence (optional)</source>
<translation>Ein zweiter Satz (nicht nötig)</translation>
</message>
<message>
<source>A sentence, and what the best head of each relation looks at</source>
<translation>Ein Satz, und worauf der beste Kopf jeder Beziehung schaut</translation>
</message>
<message>
<source>A slash: the word here / in the other text. | separates alternatives.</source>
<translation>Schrägstrich: das Wort hier / im anderen Text. | trennt Alternativen.</translation>
</message>
<message>
<source>A small sample: with only 20 held-out examples, one right answer more or less may be chance.</source>
<translation>Eine kleine Stichprobe: Bei nur 20 ungesehenen Beispielen kann eine richtige Antwort mehr oder weniger Zufall sein.</translation>
</message>
<message>
<source>A step is first, last, finished or the number of a snapshot.</source>
<translation>Ein Schritt ist first, last, finished oder die Nummer eines Snapshots.</translation>
</message>
<message>
<source>A strip is a list of numbers: red is above zero, blue below. The first stands for the word, the second for A or B, the third for its place. Their sum, number by number, is all that the model reads.</source>
<translation>Ein Streifen ist eine Liste von Zahlen: Rot ist über null, Blau darunter. Der erste steht für das Wort, der zweite für A oder B, der dritte für die Stelle. Ihre Summe, Zahl für Zahl, ist alles, was das Modell liest.</translation>
</message>
<message>
<source>A student with half the layers learns to predict what its teacher predicts.</source>
<translation>Ein Schüler mit halb so vielen Schichten lernt vorherzusagen, was sein Lehrer vorhersagt.</translation>
</message>
<message>
<source>A tab-separated table; its first line names the columns.</source>
<translation>Eine Tabelle mit Tabulatoren zwischen den Spalten; ihre erste Zeile benennt sie.</translation>
</message>
<message>
<source>A text of 128 tokens, in turn with BERT-base, on one thread: some seconds</source>
<translation>Ein Text aus 128 Token, abwechselnd mit BERT-base, auf einem Thread: einige Sekunden</translation>
</message>
<message>
<source>A tiny model learns about eight people from scratch, in about a minute.</source>
<translation>Ein winziges Modell lernt von null an, was es über acht Personen zu wissen gibt, in etwa einer Minute.</translation>
</message>
<message>
<source>A token’s embedding holds what the model knows about it before reading a text. Longer bar: training moved it further. Click a token: which are near it now, and which were before?</source>
<translation>Im Embedding eines Tokens steht, was das Modell vor dem Lesen über es weiß. Längerer Balken: Das Training hat es weiter bewegt. Ein Token anklicken: Welche liegen jetzt in seiner Nähe, welche vorher?</translation>
</message>
<message>
<source>A trained model goes on guessing masked words, in more text or a different kind of text.</source>
<translation>Ein trainiertes Modell rät weiter maskierte Wörter, in mehr oder in anderem Text.</translation>
</message>
<message>
<source>A triangle at the edge is a token farther away.</source>
<translation>Ein Dreieck am Rand ist ein Token, das weiter weg liegt.</translation>
</message>
<message>
<source>A vector has {ours} numbers here and {theirs} with {baseline}, so they cannot be subtracted.</source>
<translation>Ein Vektor hat hier {ours} Zahlen und mit {baseline} {theirs}; deshalb lassen sie sich nicht voneinander abziehen.</translation>
</message>
<message>
<source>A whole sentence, with the word that will be hidden</source>
<translation>Ein ganzer englischer Satz, mit dem Wort, das verdeckt wird</translation>
</message>
<message>
<source>A word</source>
<translation>Ein Wort</translation>
</message>
<message>
<source>A word is compared by = or !=.</source>
<translation>Ein Wort wird mit = oder != verglichen.</translation>
</message>
<message>
<source>A word is hidden in a sentence. The class guesses it first, then the model, up to five guesses each: {first} points if the first is right, {among} if another one is. A game has {rounds} sentences.</source>
<translation>In einem Satz ist ein Wort verdeckt. Zuerst rät die Klasse, dann das Modell, je bis zu fünf Tipps: {first} Punkte, wenn der erste stimmt, {among}, wenn ein anderer stimmt. Ein Spiel hat {rounds} Sätze.</translation>
</message>
<message>
<source>A world (*.json)</source>
<translation>Eine Welt (*.json)</translation>
</message>
<message>
<source>A {mask} is hidden already, so it gets 0.</source>
<translation>Ein {mask} ist schon verdeckt und bekommt daher 0.</translation>
</message>
<message>
<source>A {mask} is hidden already, so two of the methods give it 0.</source>
<translation>Ein {mask} ist schon verdeckt, darum geben ihm zwei der Verfahren 0.</translation>
</message>
<message>
<source>A → B</source>
<translation>A → B</translation>
</message>
<message>
<source>Aa Projector</source>
<translation>Aa Beamer</translation>
</message>
<message>
<source>About BERTscope</source>
<translation>Über BERTscope</translation>
</message>
<message>
<source>About BERTscope…</source>
<translation>Über BERTscope…</translation>
</message>
<message>
<source>Above 0: it strengthens what was there. At 0: it adds something new. Below 0: it takes some back.</source>
<translation>Über 0: Es verstärkt, was da war. Bei 0: Es fügt Neues hinzu. Unter 0: Es nimmt etwas zurück.</translation>
</message>
<message>
<source>Above, {heads} heads per layer let each token look at the others. What they find is added (⊕) at the pale bar. Blue frame: the selected head.</source>
<translation>Oben lassen {heads} Köpfe je Schicht jedes Token auf die anderen schauen. Was sie finden, wird am blassen Balken addiert (⊕). Blauer Rahmen: der ausgewählte Kopf.</translation>
</message>
<message>
<source>Activation</source>
<translation>Aktivierung</translation>
</message>
<message>
<source>Activation at all tokens</source>
<translation>Aktivierung bei allen Token</translation>
</message>
<message>
<source>Activation of these layers</source>
<translation>Aktivierung dieser Schichten</translation>
</message>
<message>
<source>Add</source>
<translation>Addieren</translation>
</message>
<message>
<source>Add 1e-12, as BERT does; 1e-5 is what other models add.</source>
<translation>1e-12 addieren, wie BERT; 1e-5 addieren andere Modelle.</translation>
</message>
<message>
<source>Add a CRF layer</source>
<translation>Eine CRF-Schicht anfügen</translation>
</message>
<message>
<source>Add a sentence</source>
<translation>Satz hinzufügen</translation>
</message>
<message>
<source>Add rows of `segment_table` and of `position_table` to those of `token_table`.</source>
<translation>Zu den Zeilen von `token_table` solche von `segment_table` und `position_table` addieren.</translation>
</message>
<message>
<source>Add the first S rows of `position_table`, one for each place.</source>
<translation>Die ersten S Zeilen von `position_table` addieren, eine für jeden Platz.</translation>
</message>
<message>
<source>Add the row of `segment_table` for each of the `segment_ids`.</source>
<translation>Für jede Zahl in `segment_ids` die Zeile von `segment_table` addieren.</translation>
</message>
<message>
<source>Add two [PAD]</source>
<translation>Zwei [PAD] anhängen</translation>
</message>
<message>
<source>Add up all three parts first, then normalise the sum.</source>
<translation>Erst alle drei Teile addieren, dann die Summe normieren.</translation>
</message>
<message>
<source>Advanced</source>
<translation>Erweitert</translation>
</message>
<message>
<source>After each layer</source>
<translation>Nach jeder Schicht</translation>
</message>
<message>
<source>After that multiply by `weight` and add `bias`: they are learned.</source>
<translation>Danach mit `weight` multiplizieren und `bias` addieren: Sie sind gelernt.</translation>
</message>
<message>
<source>After the last layer the lines can be read: as words, as a yes or no.</source>
<translation>Nach der letzten Schicht lassen sich die Linien ablesen: als Wörter, als Ja oder Nein.</translation>
</message>
<message>
<source>Alike</source>
<translation>Ähnlichkeit</translation>
</message>
<message>
<source>All</source>
<translation>Alle</translation>
</message>
<message>
<source>All commands</source>
<translation>Alle Befehle</translation>
</message>
<message>
<source>All heads</source>
<translation>Alle Köpfe</translation>
</message>
<message>
<source>All hundred draws</source>
<translation>Alle hundert Ziehungen</translation>
</message>
<message>
<source>All its uses</source>
<translation>Alle Verwendungen</translation>
</message>
<message>
<source>All layers share one set of weights; narrow embeddings; sentence order instead of next sentence</source>
<translation>Alle Schichten teilen sich dieselben Gewichte; schmale Embeddings; Satzreihenfolge statt nächster Satz</translation>
</message>
<message>
<source>All lines stronger than</source>
<translation>Alle Linien stärker als</translation>
</message>
<message>
<source>All neurons (or heads) of this layer, by the share of their strongest contexts that are one and the same word.</source>
<translation>Alle Neuronen (oder Köpfe) dieser Schicht, danach, wie oft an ihren stärksten Stellen ein und dasselbe Wort steht.</translation>
</message>
<message>
<source>All pictures show the best run at its last step</source>
<translation>Alle Bilder zeigen den besten Lauf bei seinem letzten Schritt</translation>
</message>
<message>
<source>All pictures show the newest snapshot of the run, as soon as it is there</source>
<translation>Alle Bilder zeigen den neuesten Snapshot des Laufs, sobald er da ist</translation>
</message>
<message>
<source>All pictures show the snapshot nearest to it</source>
<translation>Alle Bilder zeigen den Snapshot, der am nächsten liegt</translation>
</message>
<message>
<source>All pictures, from Map to Layers, show the model as it was at its last step</source>
<translation>Alle Bilder, von Überblick bis Schichten, zeigen das Modell, wie es beim letzten Schritt war</translation>
</message>
<message>
<source>All pictures, from Map to Layers, show the model as it was at this step</source>
<translation>Alle Bilder, von Überblick bis Schichten, zeigen das Modell, wie es bei diesem Schritt war</translation>
</message>
<message>
<source>All predictions</source>
<translation>Alle Vorhersagen</translation>
</message>
<message>
<source>All rooms show the selected pair and this head (double-click)</source>
<translation>Alle Räume zeigen das gewählte Paar und diesen Kopf (Doppelklick)</translation>
</message>
<message>
<source>All rooms show “{text}” now.</source>
<translation>Alle Räume zeigen jetzt „{text}“.</translation>
</message>
<message>
<source>All rows were normalised with the same mean.</source>
<translation>Alle Zeilen wurden mit demselben Mittelwert normiert.</translation>
</message>
<message>
<source>All sequences of the batch</source>
<translation>Alle Sequenzen des Batches</translation>
</message>
<message>
<source>All snapshots of a run side by side: from noise to patterns</source>
<translation>Alle Snapshots eines Laufs nebeneinander: Aus Rauschen werden Muster</translation>
</message>
<message>
<source>All snapshots of this run side by side: from noise to patterns</source>
<translation>Alle Snapshots dieses Laufs nebeneinander: Aus Rauschen werden Muster</translation>
</message>
<message>
<source>All texts of a batch have the same length: short ones are padded with [PAD], long ones are truncated. Does [PAD] change what the model reads? Switch the attention mask off and see.</source>
<translation>Alle Texte eines Batches sind gleich lang: Kurze werden mit [PAD] aufgefüllt, lange abgeschnitten. Ändert [PAD], was das Modell liest? Die Attention-Maske ausschalten und hinsehen.</translation>
</message>
<message>
<source>All that is chosen became [MASK].</source>
<translation>Alles Ausgewählte wurde [MASK].</translation>
</message>
<message>
<source>All tokens</source>
<translation>Alle Token</translation>
</message>
<message>
<source>All uses of the word, by their two main directions</source>
<translation>Alle Verwendungen des Worts, nach ihren zwei Hauptrichtungen</translation>
</message>
<message>
<source>All views show this swap now; Esc ends it.</source>
<translation>Alle Ansichten zeigen jetzt diesen Austausch; Esc beendet ihn.</translation>
</message>
<message>
<source>All weights together add up to 1, not each row.</source>
<translation>Alle Gewichte zusammen ergeben 1, nicht jede Zeile.</translation>
</message>
<message>
<source>All words together, in this order: probability {probability}.</source>
<translation>Alle Wörter zusammen, in dieser Reihenfolge: Wahrscheinlichkeit {probability}.</translation>
</message>
<message>
<source>Almost: the rows are a little too small, for their variance was divided by H - 1.</source>
<translation>Fast: Die Zahlen sind ein wenig zu klein, denn die Varianz wurde durch H - 1 geteilt.</translation>
</message>
<message>
<source>Almost: the rows are a little too small, for what was added to the variance is not small enough.</source>
<translation>Fast: Die Zahlen sind ein wenig zu klein, denn was zur Varianz addiert wurde, ist nicht klein genug.</translation>
</message>
<message>
<source>Always giving the most common answer would get {chance} on these {count}.</source>
<translation>Immer die häufigste Antwort zu geben ergäbe auf diesen {count} Beispielen {chance}.</translation>
</message>
<message>
<source>Always giving the most common answer would get {chance}.</source>
<translation>Immer die häufigste Antwort zu geben, ergäbe {chance}.</translation>
</message>
<message>
<source>Among how many equally likely words the model seems to choose, on average.</source>
<translation>Unter wie vielen gleich wahrscheinlichen Wörtern das Modell zu wählen scheint, im Mittel.</translation>
</message>
<message>
<source>An earlier step of its training</source>
<translation>Ein früherer Schritt des Trainings</translation>
</message>
<message>
<source>An empty folder for the checkpoint</source>
<translation>Ein leerer Ordner für den Checkpoint</translation>
</message>
<message>
<source>An ending
Another ending</source>
<translation>Ein Schluss
Ein anderer Schluss</translation>
</message>
<message>
<source>An epoch reads all examples or text once.</source>
<translation>Eine Epoche liest alle Beispiele oder den Text einmal.</translation>
</message>
<message>
<source>An estimate of where each token’s information came from. It assumes that every layer keeps half of a token and takes half from the tokens it looks at.</source>
<translation>Eine Schätzung, woher die Information jedes Tokens kommt. Sie nimmt an, dass jede Schicht die Hälfte eines Tokens behält und die andere Hälfte von den Tokens nimmt, auf die es achtet.</translation>
</message>
<message>
<source>An estimate of where each token’s information came from: half from the token itself, half from what it looks at, in every layer. This is layer 1 alone; click a head in a higher layer.</source>
<translation>Eine Schätzung, woher die Information jedes Tokens kam: in jeder Schicht zur Hälfte von ihm selbst, zur Hälfte von dem, worauf es schaut. Das ist Schicht 1 allein; ein Klick auf einen Kopf einer höheren Schicht zeigt mehr.</translation>
</message>
<message>
<source>Another B</source>
<translation>Anderes B</translation>
</message>
<message>
<source>Another draw</source>
<translation>Andere Ziehung</translation>
</message>
<message>
<source>Another game</source>
<translation>Noch ein Spiel</translation>
</message>
<message>
<source>Another model</source>
<translation>Ein anderes Modell</translation>
</message>
<message>
<source>Another seed gives other random choices.</source>
<translation>Mit einem anderen Seed fällt alles Zufällige anders aus.</translation>
</message>
<message>
<source>Another sentence</source>
<translation>Anderer Satz</translation>
</message>
<message>
<source>Another text…</source>
<translation>Ein anderer Text…</translation>
</message>
<message>
<source>Answer</source>
<translation>Antwort</translation>
</message>
<message>
<source>Answer questions</source>
<translation>Fragen beantworten</translation>
</message>
<message>
<source>Answers</source>
<translation>Antworten</translation>
</message>
<message>
<source>Answers differ</source>
<translation>Andere Antwort</translation>
</message>
<message>
<source>Answers of the class</source>
<translation>Antworten der Klasse</translation>
</message>
<message>
<source>Any key brings the picture back</source>
<translation>Jede Taste bringt das Bild zurück</translation>
</message>
<message>
<source>Any word of the vocabulary, then Enter. Both empty: what the model guesses first.</source>
<translation>Ein beliebiges Wort des Vokabulars, dann Enter. Beide leer: was das Modell zuerst rät.</translation>
</message>
<message>
<source>Apply</source>
<translation>Anwenden</translation>
</message>
<message>
<source>Arrows, and how few are enough, take about {time} for this model and {count} tokens.</source>
<translation>Pfeile, und wie wenige genügen, dauern bei diesem Modell und {count} Token etwa {time}.</translation>
</message>
<message>
<source>As PDF or CSV</source>
<translation>Als PDF oder CSV</translation>
</message>
<message>
<source>As a batch</source>
<translation>Als Batch</translation>
</message>
<message>
<source>As a formula</source>
<translation>Als Formel</translation>
</message>
<message>
<source>As it was at step {step}</source>
<translation>Wie es bei Schritt {step} war</translation>
</message>
<message>
<source>As the system is set</source>
<translation>Wie im System eingestellt</translation>
</message>
<message>
<source>As unsure as among {perplexity} equally likely words</source>
<translation>So unsicher wie bei {perplexity} gleich wahrscheinlichen Wörtern</translation>
</message>
<message>
<source>At [MASK]</source>
<translation>Bei [MASK]</translation>
</message>
<message>
<source>At [MASK] there is hardly a difference, and it may be chance: trained with 80 / 10 / 10, {both} are right, with [MASK] alone {alone}. But where the token is left as it is, these are {kept} and {kept_alone}: with [MASK] alone, the model never had to predict anything there, and real texts have no [MASK]. Means of three runs each.</source>
<translation>An [MASK] gibt es kaum einen Unterschied, und er kann Zufall sein: Mit 80 / 10 / 10 trainiert sind {both} richtig, nur mit [MASK] {alone}. Aber wo das Token stehen bleibt, sind es {kept} und {kept_alone}: Nur mit [MASK] musste das Modell dort nie etwas vorhersagen, und echte Texte haben kein [MASK]. Mittel aus je drei Läufen.</translation>
</message>
<message>
<source>At least one, but 15% of the words: `max(1, round(0.15 * (~is_special).sum()))`.</source>
<translation>Mindestens eines, sonst 15 % der Wörter: `max(1, round(0.15 * (~is_special).sum()))`.</translation>
</message>
<message>
<source>At most</source>
<translation>Höchstens</translation>
</message>
<message>
<source>At most {parameters} parameters, depending on how many different words the text has.</source>
<translation>Höchstens {parameters} Parameter, je nachdem, wie viele verschiedene Wörter der Text hat.</translation>
</message>
<message>
<source>At one token alone, most at “{token}”.</source>
<translation>An einem einzelnen Token am meisten: „{token}“.</translation>
</message>
<message>
<source>At random</source>
<translation>Zufällige</translation>
</message>
<message>
<source>At step {step}</source>
<translation>Bei Schritt {step}</translation>
</message>
<message>
<source>At step {step} the loss became infinite, so the run had to stop.</source>
<translation>Bei Schritt {step} wurde der Loss unendlich, deshalb musste der Lauf aufhören.</translation>
</message>
<message>
<source>At step {step}, last saved before {shown}</source>
<translation>Bei Schritt {step}, zuletzt vor {shown} gespeichert</translation>
</message>
<message>
<source>At step {step}. Gradient: how hard the loss pulls on the part, before clipping.</source>
<translation>Bei Schritt {step}. Gradient: wie stark der Loss an dem Teil zieht, vor dem Begrenzen.</translation>
</message>
<message>
<source>At this rate it would take far too long to learn anything.</source>
<translation>So würde es viel zu lange dauern, etwas zu lernen.</translation>
</message>
<message>
<source>At which token?</source>
<translation>Bei welchem Token?</translation>
</message>
<message>
<source>At work. A click on a box shows its question; its newest snapshot opens here:</source>
<translation>In Arbeit. Ein Klick auf ein Kästchen zeigt seine Frage; der neueste Snapshot öffnet sich hier:</translation>
</message>
<message>
<source>At work. What it has learned is said here at its end.</source>
<translation>In Arbeit. Am Ende steht hier, was es gelernt hat.</translation>
</message>
<message>
<source>At {rates} it diverged.</source>
<translation>Bei {rates} ist es divergiert.</translation>
</message>
<message>
<source>At {rates} it hardly learned anything.</source>
<translation>Bei {rates} hat es kaum etwas gelernt.</translation>
</message>
<message>
<source>At {rate}, {count} of {of} runs diverged.</source>
<translation>Divergiert bei {rate}: {count} von {of} Läufen.</translation>
</message>
<message>
<source>At {rate}, {count} of {of} runs diverged; the others hardly learned anything.</source>
<translation>Divergiert bei {rate}: {count} von {of} Läufen; die übrigen lernten kaum etwas.</translation>
</message>
<message>
<source>Attend</source>
<translation>Attention</translation>
</message>
<message>
<source>Attention</source>
<translation>Attention</translation>
</message>
<message>
<source>Attention as lines: the tokens on the left look at those on the right</source>
<translation>Attention als Linien: Die Token links schauen auf die rechts</translation>
</message>
<message>
<source>Attention heads in each layer</source>
<translation>Attention-Köpfe in jeder Schicht</translation>
</message>
<message>
<source>Attention heads: rows look, columns are looked at</source>
<translation>Attention-Köpfe: Zeilen schauen, auf Spalten wird geschaut</translation>
</message>
<message>
<source>Attention in the baseline: rows look at columns</source>
<translation>Attention bei der Baseline: Zeilen schauen auf Spalten</translation>
</message>
<message>
<source>Attention mask</source>
<translation>Attention-Maske</translation>
</message>
<message>
<source>Attention weight now minus that in the baseline: above 0, it looks there more.</source>
<translation>Attention-Gewicht jetzt minus das bei der Baseline: über 0 schaut er dort mehr hin.</translation>
</message>
<message>
<source>Attention weight: how much a token takes from another; a row makes 1.</source>
<translation>Attention-Gewicht: wie viel ein Token von einem anderen übernimmt; eine Zeile ergibt 1.</translation>
</message>
<message>
<source>Attention, gradient and removal, token by token</source>
<translation>Attention, Gradient und Wegnehmen, Token für Token</translation>
</message>
<message>
<source>Attention: its cosine with what enters the layer (x). Feed-forward: its cosine with what attention has made of that (m).</source>
<translation>Attention: ihr Kosinus mit dem, was in die Schicht hineingeht (x). Feed-Forward: sein Kosinus mit dem, was Attention daraus gemacht hat (m).</translation>
</message>
<message>
<source>Attention: rows look at columns</source>
<translation>Attention: Zeilen schauen auf Spalten</translation>
</message>
<message>
<source>Attention: where the head looks.</source>
<translation>Attention: wohin der Kopf schaut.</translation>
</message>
<message>
<source>Attention: where the head looks. Gradient: what a little more of it would do. Removal: what this link adds, seen by taking it away.</source>
<translation>Attention: wohin der Kopf schaut. Gradient: was etwas mehr davon bewirken würde. Wegnehmen: was diese Verbindung beiträgt; man sieht es, wenn man sie wegnimmt.</translation>
</message>
<message>
<source>Automatic: {epochs} of this file ({few}, or as many as make {steps} steps).</source>
<translation>Automatisch: {epochs} bei dieser Datei ({few}, oder so viele, dass es {steps} Schritte werden).</translation>
</message>
<message>
<source>Automatic: {few}, or as many as make {steps} steps of a small file.</source>
<translation>Automatisch: {few}, oder bei einer kleinen Datei so viele, dass es {steps} Schritte werden.</translation>
</message>
<message>
<source>Available at the end of the run</source>
<translation>Erst am Ende des Laufs</translation>
</message>
<message>
<source>B follows A</source>
<translation>B folgt auf A</translation>
</message>
<message>
<source>B is a random sentence (A from document {a}, B from document {b})</source>
<translation>B ist ein zufälliger Satz (A aus Dokument {a}, B aus Dokument {b})</translation>
</message>
<message>
<source>B is from elsewhere in document {a}</source>
<translation>B stammt von anderswo in Dokument {a}</translation>
</message>
<message>
<source>B really follows A (document {a})</source>
<translation>B folgt wirklich auf A (Dokument {a})</translation>
</message>
<message>
<source>B → A</source>
<translation>B → A</translation>
</message>
<message>
<source>BERT and its relatives</source>
<translation>BERT und seine Verwandten</translation>
</message>
<message>
<source>BERT had been trained too little: the same shape learns more from more text. Only the vocabulary makes it larger.</source>
<translation>BERT war zu wenig trainiert: Dieselbe Form lernt mehr aus mehr Text. Größer ist es nur durch das Vokabular.</translation>
</message>
<message>
<source>BERT looks in both directions: every token sees those before and after it. How good is the guess with one side?</source>
<translation>BERT schaut in beide Richtungen: Jedes Token sieht die davor und die danach. Wie gut ist der Tipp mit nur einer Seite?</translation>
</message>
<message>
<source>BERT-base has 109 million parameters (the paper rounds to 110): where are they? And what did those that came after it change, to be better, smaller or faster?</source>
<translation>BERT-base hat 109 Millionen Parameter (das Paper rundet auf 110): Wo sind sie? Und was haben seine Nachfolger geändert, um besser, kleiner oder schneller zu sein?</translation>
</message>
<message>
<source>BERTscope ended unexpectedly last time.</source>
<translation>BERTscope wurde zuletzt unerwartet beendet.</translation>
</message>
<message>
<source>BERTscope ended unexpectedly last time. Your text, model and lesson can be restored.</source>
<translation>BERTscope wurde zuletzt unerwartet beendet. Text, Modell und Lektion lassen sich wiederherstellen.</translation>
</message>
<message>
<source>BERTscope session</source>
<translation>BERTscope-Sitzung</translation>
</message>
<message>
<source>BERTscope {version}</source>
<translation>BERTscope {version}</translation>
</message>
<message>
<source>BERT’s shape, small; a vocabulary of its own</source>
<translation>BERTs Form, klein; eigenes Vokabular</translation>
</message>
<message>
<source>Back</source>
<translation>Zurück</translation>
</message>
<message>
<source>Back to: {a} / {b}</source>
<translation>Zurück zu: {a} / {b}</translation>
</message>
<message>
<source>Bar: the mean over all pairs. Line: its 95% interval. Grey: may be 0. Heads overlap, so they need not add up.</source>
<translation>Balken: das Mittel über alle Paare. Linie: sein 95-%-Intervall. Grau: kann 0 sein. Köpfe überschneiden sich, ihre Wirkungen addieren sich also nicht unbedingt.</translation>
</message>
<message>
<source>Bar: this batch. Line: all examples.</source>
<translation>Balken: dieser Batch. Linie: alle Beispiele.</translation>
</message>
<message>
<source>Bar: what was chosen. Line: what the settings ask for.</source>
<translation>Balken: was gewählt wurde. Strich: was die Einstellungen verlangen.</translation>
</message>
<message>
<source>Bars: now minus {baseline}; red: more, blue: less.</source>
<translation>Balken: jetzt minus {baseline}; rot: mehr, blau: weniger.</translation>
</message>
<message>
<source>Baseline ({baseline}): {answer}</source>
<translation>Vergleich ({baseline}): {answer}</translation>
</message>
<message>
<source>Batch size</source>
<translation>Batch-Größe</translation>
</message>
<message>
<source>Before</source>
<translation>Vorher</translation>
</message>
<message numerus="yes">
<source>Before %n word(s) were inserted</source>
<translation>
<numerusform>Bevor %n Wort eingesetzt wurde</numerusform>
<numerusform>Bevor %n Wörter eingesetzt wurden</numerusform>
</translation>
</message>
<message>
<source>Before BERT, and after</source>
<translation>Vor BERT und danach</translation>
</message>
<message>
<source>Before and after</source>
<translation>Vorher und nachher</translation>
</message>
<message>
<source>Before fine-tuning</source>
<translation>Vor dem Feintuning</translation>
</message>
<message>
<source>Before this run</source>
<translation>Vor diesem Lauf</translation>
</message>
<message>
<source>Before you start</source>
<translation>Vor dem Start</translation>
</message>
<message>
<source>Before your changes: {answer}</source>
<translation>Vor den Änderungen: {answer}</translation>
</message>
<message>
<source>Before “{word}” was inserted</source>
<translation>Bevor „{word}“ eingesetzt wurde</translation>
</message>
<message>
<source>Beginning</source>
<translation>Anfang</translation>
</message>
<message>
<source>Below a word: what the model takes it for, and how sure it is. Try a name that it cannot know.</source>
<translation>Unter einem Wort: wofür das Modell es hält und wie sicher es sich ist. Einen Namen ausprobieren, den es nicht kennen kann.</translation>
</message>
<message>
<source>Below each token: its position · its number in the vocabulary.</source>
<translation>Unter jedem Token: seine Position · seine Nummer im Vokabular.</translation>
</message>
<message>
<source>Below each token: its segment (A or B) and its position in the text.</source>
<translation>Unter jedem Token: sein Segment (A oder B) und seine Position im Text.</translation>
</message>
<message>
<source>Below, the links of this one token, which may work the other way.</source>
<translation>Darunter die Verbindungen dieses einen Tokens; sie können andersherum wirken.</translation>
</message>
<message>
<source>Below, {neurons} neurons per layer work on each token alone, and ⊕ adds that too. Row: token. Column: active neuron.</source>
<translation>Darunter bearbeiten {neurons} Neuronen je Schicht jedes Token für sich; ⊕ addiert auch das. Zeile: Token. Spalte: aktives Neuron.</translation>
</message>
<message>
<source>Beside each the most similar head of the other model. 0: the same, 1: nothing in common.</source>
<translation>Daneben steht jeweils der ähnlichste Kopf des anderen Modells. 0: gleich, 1: nichts gemeinsam.</translation>
</message>
<message>
<source>Best guess for [MASK]: {masked} with the attention mask, {without} without.</source>
<translation>Bester Tipp für [MASK]: {masked} mit der Attention-Maske, {without} ohne sie.</translation>
</message>
<message>
<source>Best guess if the model stopped here: “{word}”, {share}.</source>
<translation>Bester Tipp, wenn das Modell hier aufhörte: „{word}“, {share}.</translation>
</message>
<message>
<source>Best of both directions</source>
<translation>Die bessere Richtung</translation>
</message>
<message>
<source>Best: {where}, {value}.</source>
<translation>Am besten: {where}, {value}.</translation>
</message>
<message>
<source>Between [CLS] and the classes. Usually none; textbooks often put one there.</source>
<translation>Zwischen [CLS] und den Klassen. Meist keine; Lehrbücher setzen oft eine dorthin.</translation>
</message>
<message>
<source>Between the layers</source>
<translation>Zwischen den Schichten</translation>
</message>
<message>
<source>Blank the screen</source>
<translation>Bildschirm leeren</translation>
</message>
<message>
<source>Blue circle: sentence A.</source>
<translation>Blauer Kreis: Satz A.</translation>
</message>
<message>
<source>Blue frame: this head is selected, in Attend as well.</source>
<translation>Blauer Rahmen: Dieser Kopf ist gewählt, auch unter Attention.</translation>
</message>
<message>
<source>Blue: A. Orange: B.</source>
<translation>Blau: A. Orange: B.</translation>
</message>
<message>
<source>Bold: the length of what a row shows. LayerNorm and the feed-forward network follow.</source>
<translation>Fett: die Länge dessen, was eine Zeile zeigt. Danach folgen LayerNorm und das Feed-Forward-Netz.</translation>
</message>
<message>
<source>Both are changes of ln p of {prediction}, in nats.</source>
<translation>Beides: Änderung von ln p von {prediction}, in Nat.</translation>
</message>
<message>
<source>Both are changes of ln p of “{first}” − ln p of “{second}”, in nats.</source>
<translation>Beides sind Änderungen von ln p von „{first}“ − ln p von „{second}“, in Nat.</translation>
</message>
<message>
<source>Both are changes of {prediction}.</source>
<translation>Beides: Änderung von {prediction}.</translation>
</message>
<message>
<source>Both split the text in the same way.</source>
<translation>Beide zerlegen den Text gleich.</translation>
</message>
<message>
<source>Bottom row: {model}</source>
<translation>Untere Reihe: {model}</translation>
</message>
<message>
<source>Bring the sum to a common size: `layer_norm(sum, weight, bias)`.</source>
<translation>Die Summe auf eine gemeinsame Größe bringen: `layer_norm(sum, weight, bias)`.</translation>
</message>
<message>
<source>By layer</source>
<translation>Nach Schicht</translation>
</message>
<message>
<source>Can you guess better than the model?</source>
<translation>Könnt ihr besser raten als das Modell?</translation>
</message>
<message>
<source>Cancel</source>
<translation>Abbrechen</translation>
</message>
<message>
<source>Cell: how often the head looks from one word of the pair to the other; framed: the best head. Bar: how often it is right in other sentences (95% interval); ← the second word looks at the first. Yellow line: guessing a fixed distance; grey bar: not surely better.</source>
<translation>Zelle: wie oft der Kopf von einem Wort des Paars auf das andere schaut; umrahmt: der beste Kopf. Balken: wie oft er in anderen Sätzen richtigliegt (95-%-Intervall); ← das zweite Wort schaut auf das erste. Gelbe Linie: einen festen Abstand raten; grauer Balken: nicht sicher besser.</translation>
</message>
<message>
<source>Cell: this head adds nothing. How does ln p(wanted) − ln p(unwanted) change, on average? Hatched: may be 0.</source>
<translation>Zelle: Dieser Kopf fügt nichts hinzu. Wie ändert sich ln p(gewollt) − ln p(ungewollt) im Mittel? Schraffiert: vielleicht 0.</translation>
</message>
<message>
<source>Cell: this head adds what it adds on average. How does ln p(wanted) − ln p(unwanted) change? Hatched: may be 0.</source>
<translation>Zelle: Dieser Kopf fügt hinzu, was er im Mittel hinzufügt. Wie ändert sich ln p(gewollt) − ln p(ungewollt)? Schraffiert: vielleicht 0.</translation>
</message>
<message>
<source>Cell: what switching this head off would change, estimated by one backward pass. Compare it with switching off. Hatched: may be 0.</source>
<translation>Zelle: was das Abschalten dieses Kopfs ändern würde, mit einem Rückwärtsdurchgang geschätzt. Mit dem Abschalten vergleichen. Schraffiert: vielleicht 0.</translation>
</message>
<message>
<source>Change a word of a sentence, train again and see which boxes change with it</source>
<translation>Ein Wort in einem Satz ändern, neu trainieren und sehen, welche Kästchen sich mit ändern</translation>
</message>
<message>
<source>Change in ln p of “{first}” − ln p of “{second}”, in nats.</source>
<translation>Änderung von ln p von „{first}“ − ln p von „{second}“, in Nat.</translation>
</message>
<message>
<source>Change in the log-probability (ln p), in nats: +1 nat makes it 2.7 times as likely.</source>
<translation>Änderung der Log-Wahrscheinlichkeit (ln p), in Nat: +1 Nat macht es 2,7-mal so wahrscheinlich.</translation>
</message>
<message>
<source>Change in the probability of the next word without it</source>
<translation>Änderung der Wahrscheinlichkeit des nächsten Worts ohne diese Einheit</translation>
</message>
<message>
<source>Change in the score.</source>
<translation>Änderung des Werts.</translation>
</message>
<message>
<source>Change its name, length or learning rate</source>
<translation>Name, Dauer oder Lernrate ändern</translation>
</message>
<message>
<source>Change one word, negate the sentence, or swap A and B. Masked words are masked in both texts.</source>
<translation>Ein Wort ändern, den Satz verneinen oder A und B tauschen. Maskierte Wörter sind in beiden Texten maskiert.</translation>
</message>
<message>
<source>Change something inside first: switch a head off in Attend, for example</source>
<translation>Zuerst etwas im Inneren ändern: zum Beispiel unter Attention einen Kopf abschalten</translation>
</message>
<message>
<source>Change the world</source>
<translation>Die Welt ändern</translation>
</message>
<message>
<source>Change “man” to “woman”, and the model fills the gap differently. Swap in what it computed for the second text, one part at a time: where inside the model does the difference lie?</source>
<translation>Aus „man“ wird „woman“, und das Modell füllt die Lücke anders. Was es für den zweiten Text berechnet hat, lässt sich Teil für Teil einsetzen: Wo im Modell liegt der Unterschied?</translation>
</message>
<message>
<source>Changed most</source>
<translation>Am stärksten verändert</translation>
</message>
<message>
<source>Changed most: {part}, by {change}.</source>
<translation>Am meisten verändert: {part}, um {change}.</translation>
</message>
<message>
<source>Changed: {words}. Which boxes will say something else? Guess first, then train.</source>
<translation>Geändert: {words}. Welche Kästchen werden etwas anderes sagen? Erst raten, dann trainieren.</translation>
</message>
<message>
<source>Check</source>
<translation>Probe</translation>
</message>
<message>
<source>Check</source>
<comment>verb</comment>
<translation>Prüfen</translation>
</message>
<message>
<source>Check the file again</source>
<translation>Datei noch einmal prüfen</translation>
</message>
<message>
<source>Choose a checkpoint folder for its vocabulary</source>
<translation>Einen Checkpoint-Ordner wegen seines Vokabulars wählen</translation>
</message>
<message>
<source>Choose a fixed number of words, `max(1, round(...))`, in place of asking for each word by itself.</source>
<translation>Eine feste Zahl von Wörtern auswählen, `max(1, round(...))`, statt bei jedem Wort einzeln zu losen.</translation>
</message>
<message>
<source>Choose a folder for the lab sheet</source>
<translation>Ordner für das Arbeitsblatt wählen</translation>
</message>
<message>
<source>Choose a sample or a file to learn from.</source>
<translation>Ein Beispiel oder eine Datei wählen, aus der gelernt wird.</translation>
</message>
<message>
<source>Choose a task</source>
<translation>Aufgabe wählen</translation>
</message>
<message>
<source>Choose from the places where `is_special` is False, `np.flatnonzero(~is_special)`: 15% of how many those are.</source>
<translation>Aus den Plätzen wählen, an denen `is_special` False ist, `np.flatnonzero(~is_special)`: 15 % von deren Zahl.</translation>
</message>
<message>
<source>Choose it under “Compare” at the top (Ctrl+Alt+A): one of the same length with another answer.</source>
<translation>Zu wählen oben unter „Vergleichen“ (Strg+Alt+A): einer von gleicher Länge, auf den eine andere Antwort kommt.</translation>
</message>
<message>
<source>Choose the best ending</source>
<translation>Den besten Schluss wählen</translation>
</message>
<message>
<source>Choose the right answer (CommonsenseQA)</source>
<translation>Die richtige Antwort wählen (CommonsenseQA)</translation>
</message>
<message>
<source>Choose them by chance: `rng.choice(places, count, replace=False)`.</source>
<translation>Durch Zufall auswählen: `rng.choice(places, count, replace=False)`.</translation>
</message>
<message>
<source>Choose where the folder of the figure goes</source>
<translation>Wohin soll der Ordner mit der Abbildung?</translation>
</message>
<message>
<source>Chosen at random</source>
<translation>Zufällig gewählt</translation>
</message>
<message>
<source>Class</source>
<translation>Klasse</translation>
</message>
<message>
<source>Class demo</source>
<translation>Vorführung</translation>
</message>
<message>
<source>Class demo, finished</source>
<translation>Vorführung, fertig</translation>
</message>
<message>
<source>Class {class_points} : {model_points} Model</source>
<translation>Klasse {class_points} : {model_points} Modell</translation>
</message>
<message>
<source>Classify pairs</source>
<translation>Paare klassifizieren</translation>
</message>
<message>
<source>Classify pairs of texts</source>
<translation>Textpaare klassifizieren</translation>
</message>
<message>
<source>Classify texts</source>
<translation>Texte klassifizieren</translation>
</message>
<message>
<source>Clear the previous predictions</source>
<translation>Die früheren Vorhersagen löschen</translation>
</message>
<message>
<source>Click a cell: the table shows its examples.</source>
<translation>Ein Klick auf eine Zelle: Die Tabelle zeigt ihre Beispiele.</translation>
</message>
<message>
<source>Click a column’s name to sort: which text surprises the model most? Click a row and “Use this text”: then every view shows it.</source>
<translation>Ein Klick auf den Namen einer Spalte sortiert: Welcher Text überrascht das Modell am meisten? Auf eine Zeile und dann auf „Diesen Text nehmen“ klicken: Dann zeigt ihn jede Ansicht.</translation>
</message>
<message>
<source>Click a head; Ctrl+click or Shift+click for several</source>
<translation>Einen Kopf anklicken; mehrere mit Strg+Klick oder Umschalt+Klick</translation>
</message>
<message>
<source>Click a letter to change a token’s segment. Click two numbers to swap the tokens’ positions.</source>
<translation>Ein Klick auf einen Buchstaben ändert das Segment eines Tokens. Ein Klick auf zwei Nummern vertauscht die Positionen der Token.</translation>
</message>
<message>
<source>Click a mask, or move to it with the arrow keys and press Enter, to fill it with the most likely word.</source>
<translation>Eine Maske anklicken oder mit den Pfeiltasten hingehen und Enter drücken, um sie mit dem wahrscheinlichsten Wort zu füllen.</translation>
</message>
<message>
<source>Click a model to see where its parameters are and why it was made. Click a column’s name to sort.</source>
<translation>Ein Klick auf ein Modell zeigt, wo seine Parameter sind und wozu es gemacht wurde; einer auf eine Überschrift sortiert.</translation>
</message>
<message>
<source>Click a name or number to see that screen.</source>
<translation>Ein Klick auf Name oder Nummer zeigt den Bildschirm.</translation>
</message>
<message>
<source>Click a token above: other uses of it are looked for.</source>
<translation>Oben ein Token anklicken: Andere Verwendungen davon werden gesucht.</translation>
</message>
<message>
<source>Click a word on the right to insert it.</source>
<translation>Ein Klick auf ein Wort rechts setzt es ein.</translation>
</message>
<message>
<source>Click a word to select it, and press M to mask it.</source>
<translation>Ein Wort anklicken, um es auszuwählen, und M drücken, um es zu maskieren.</translation>
</message>
<message>
<source>Click another token, or move the slider: what makes two words alike, early and late?</source>
<translation>Ein anderes Token anklicken oder den Regler bewegen: Was macht zwei Wörter ähnlich, früh und spät?</translation>
</message>
<message>
<source>Click its cell to try it in all views.</source>
<translation>Ein Klick auf die Zelle zeigt ihn in allen Ansichten.</translation>
</message>
<message>
<source>Click one to see why.</source>
<translation>Ein Klick auf einen Lauf zeigt, warum.</translation>
</message>
<message>
<source>Click the bar of another token to see its numbers; the arrow keys work too.</source>
<translation>Ein Klick auf den Balken eines anderen Tokens zeigt dessen Zahlen; auch mit den Pfeiltasten.</translation>
</message>
<message>
<source>Click the word to hide; or press Enter, choose it with ← →, and press Enter again.</source>
<translation>Klickt das Wort an, das verdeckt wird; oder drückt Enter, wählt es mit ← → und drückt wieder Enter.</translation>
</message>
<message>
<source>Click to open this snapshot everywhere, from Map to Layers</source>
<translation>Ein Klick öffnet diesen Snapshot überall, von Überblick bis Schichten</translation>
</message>
<message>
<source>Click to see all predictions</source>
<translation>Ein Klick zeigt alle Vorhersagen</translation>
</message>
<message>
<source>Click two numbers to swap the tokens’ positions. This model has no segments.</source>
<translation>Ein Klick auf zwei Nummern vertauscht die Positionen der Token. Dieses Modell hat keine Segmente.</translation>
</message>
<message>
<source>Close</source>
<translation>Schließen</translation>
</message>
<message>
<source>Close enough to the best that the difference may be chance: {others}.</source>
<translation>So nah am besten Wert, dass der Unterschied Zufall sein kann: {others}.</translation>
</message>
<message>
<source>Close the help</source>
<translation>Hilfe schließen</translation>
</message>
<message>
<source>Close the lesson</source>
<translation>Lektion schließen</translation>
</message>
<message>
<source>Closest to “{word}” now: {now}. Before: {before}.</source>
<translation>Am nächsten bei „{word}“ jetzt: {now}. Vorher: {before}.</translation>
</message>
<message>
<source>Cluster</source>
<translation>Cluster</translation>
</message>
<message>
<source>Clusters</source>
<translation>Cluster</translation>
</message>
<message>
<source>CoLA’s own layout: four columns without names, with the label second and the sentence last.</source>
<translation>Das eigene Format von CoLA: vier Spalten ohne Namen, das Label in der zweiten, der Satz in der letzten.</translation>
</message>
<message>
<source>Collect answers…</source>
<translation>Antworten einsammeln…</translation>
</message>
<message>
<source>Collection</source>
<translation>Sammlung</translation>
</message>
<message>
<source>Collection: {name}</source>
<translation>Sammlung: {name}</translation>
</message>
<message>
<source>Colour scale from {low} to {high}</source>
<translation>Farbskala von {low} bis {high}</translation>
</message>
<message>
<source>Colour: cluster</source>
<translation>Farbe: Cluster</translation>
</message>
<message>
<source>Colour: label</source>
<translation>Farbe: Label</translation>
</message>
<message>
<source>Colours begin at {low}, not 0.</source>
<translation>Die Farben beginnen bei {low}, nicht bei 0.</translation>
</message>
<message>
<source>Colours: from {low} to {high} of its length, logarithmic.</source>
<translation>Farben: von {low} bis {high} seiner Länge, logarithmisch.</translation>
</message>
<message>
<source>Column with the answer</source>
<translation>Spalte mit der Antwort</translation>
</message>
<message>
<source>Column with the beginning</source>
<translation>Spalte mit dem Anfang</translation>
</message>
<message>
<source>Column with the label</source>
<translation>Spalte mit dem Label</translation>
</message>
<message>
<source>Column with the number</source>
<translation>Spalte mit der Zahl</translation>
</message>
<message>
<source>Column with the number of the correct ending</source>
<translation>Spalte mit der Nummer des richtigen Schlusses</translation>
</message>
<message>
<source>Column with the passage</source>
<translation>Spalte mit dem Text</translation>
</message>
<message>
<source>Column with the question</source>
<translation>Spalte mit der Frage</translation>
</message>
<message>
<source>Column with the second text</source>
<translation>Spalte mit dem zweiten Text</translation>
</message>
<message>
<source>Column with the summary</source>
<translation>Spalte mit der Zusammenfassung</translation>
</message>
<message>
<source>Column with the tags</source>
<translation>Spalte mit den Tags</translation>
</message>
<message>
<source>Column with the text</source>
<translation>Spalte mit dem Text</translation>
</message>
<message>
<source>Column with the words</source>
<translation>Spalte mit den Wörtern</translation>
</message>
<message>
<source>Commands found</source>
<translation>Gefundene Befehle</translation>
</message>
<message>
<source>Commonest label</source>
<translation>Häufigstes Label</translation>
</message>
<message>
<source>CommonsenseQA’s JSON: a question, its choices and the right one.</source>
<translation>Das JSON von CommonsenseQA: eine Frage, ihre Antworten zur Wahl und die richtige.</translation>
</message>
<message>
<source>Compare</source>
<translation>Vergleichen</translation>
</message>
<message>
<source>Compare curves</source>
<translation>Kurven vergleichen</translation>
</message>
<message>
<source>Compare it with the selected heads</source>
<translation>Mit den ausgewählten Köpfen vergleichen</translation>
</message>
<message>
<source>Compare its curves</source>
<translation>Seine Kurven vergleichen</translation>
</message>
<message>
<source>Compare this pair</source>
<translation>Dieses Paar vergleichen</translation>
</message>
<message>
<source>Compare this text with another one (Ctrl+Alt+A): then you can ask what makes them similar.</source>
<translation>Diesen Text mit einem anderen vergleichen (Strg+Alt+A): Dann lässt sich fragen, was sie ähnlich macht.</translation>
</message>
<message>
<source>Compare with a model…</source>
<translation>Mit einem Modell vergleichen…</translation>
</message>
<message>
<source>Compare with another model, step or text first: the menu is at the top.</source>
<translation>Zuerst mit einem anderen Modell, Schritt oder Text vergleichen: Das Menü ist oben.</translation>
</message>
<message>
<source>Compare with another model…</source>
<translation>Mit einem anderen Modell vergleichen…</translation>
</message>
<message>
<source>Compare with another text</source>
<translation>Mit einem anderen Text vergleichen</translation>
</message>
<message>
<source>Compare with another text…</source>
<translation>Mit einem anderen Text vergleichen…</translation>
</message>
<message>
<source>Compare with its start</source>
<translation>Mit dem Anfang vergleichen</translation>
</message>
<message>
<source>Compare with ours:</source>
<translation>Zum Vergleich unsere:</translation>
</message>
<message>
<source>Compare with the model in a checkpoint or run folder</source>
<translation>Mit dem Modell in einem Checkpoint- oder Laufordner vergleichen</translation>
</message>
<message>
<source>Compare with the start of its training</source>
<translation>Mit dem Anfang des Trainings vergleichen</translation>
</message>
<message>
<source>Compare with {model}</source>
<translation>Mit {model} vergleichen</translation>
</message>
<message>
<source>Compared</source>
<translation>Verglichen</translation>
</message>
<message>
<source>Compared with {baseline}</source>
<translation>Verglichen mit {baseline}</translation>
</message>
<message>
<source>Compared with {name}</source>
<translation>Verglichen mit: {name}</translation>
</message>
<message>
<source>Compared: {some} of {all} tokens. A token counts where the baseline has one for the same word or piece; a word that only one of the two splits is left out.</source>
<translation>Verglichen: {some} von {all} Token. Ein Token zählt, wenn die Baseline eines für dasselbe Wort oder Wortstück hat; ein Wort, das nur auf einer Seite zerlegt wird, bleibt weg.</translation>
</message>
<message>
<source>Comparing A and B…</source>
<translation>A und B werden verglichen…</translation>
</message>
<message>
<source>Compute</source>
<translation>Berechnen</translation>
</message>
<message>
<source>Compute this now</source>
<translation>Jetzt berechnen</translation>
</message>
<message>
<source>Computed for the model without your changes.</source>
<translation>Berechnet für das Modell ohne die Änderungen.</translation>
</message>
<message>
<source>Confusion matrix</source>
<translation>Konfusionsmatrix</translation>
</message>
<message>
<source>Confusion matrix: rows are right answers, columns are given ones</source>
<translation>Konfusionsmatrix: Zeilen sind richtige Antworten, Spalten gegebene</translation>
</message>
<message>
<source>Confusion matrix: rows are true labels, columns predicted labels</source>
<translation>Konfusionsmatrix: Zeilen sind wahre Labels, Spalten vorhergesagte</translation>
</message>
<message>
<source>Context</source>
<translation>Kontext</translation>
</message>
<message>
<source>Contexts</source>
<translation>Kontexte</translation>
</message>
<message>
<source>Continue from its newest snapshot</source>
<translation>Vom neuesten Snapshot aus weitertrainieren</translation>
</message>
<message>
<source>Continue pretraining</source>
<translation>Vortraining fortsetzen</translation>
</message>
<message>
<source>Copied the numbers: {title}</source>
<translation>Zahlen kopiert: {title}</translation>
</message>
<message>
<source>Copied the picture: {title}</source>
<translation>Bild kopiert: {title}</translation>
</message>
<message>
<source>Copy as a shell command</source>
<translation>Als Befehl für die Kommandozeile kopieren</translation>
</message>
<message>
<source>Copy its name</source>
<translation>Namen kopieren</translation>
</message>
<message>
<source>Copy numbers</source>
<translation>Zahlen kopieren</translation>
</message>
<message>
<source>Copy picture</source>
<translation>Bild kopieren</translation>
</message>
<message>
<source>Copy what I see as a page of a lesson</source>
<translation>Was zu sehen ist, als Seite einer Lektion kopieren</translation>
</message>
<message>
<source>Copy “{token}”</source>
<translation>„{token}“ kopieren</translation>
</message>
<message>
<source>Copy “{word}”</source>
<translation>„{word}“ kopieren</translation>
</message>
<message>
<source>Cosine</source>
<translation>Kosinus</translation>
</message>
<message>
<source>Cosine of A and B</source>
<translation>Kosinus von A und B</translation>
</message>
<message>
<source>Cosine of each pair of uses</source>
<translation>Kosinus jedes Paars von Verwendungen</translation>
</message>
<message>
<source>Cosine similarity of each pair of position vectors</source>
<translation>Kosinusähnlichkeit jedes Paars von Positionsvektoren</translation>
</message>
<message>
<source>Cosine similarity of each pair of tokens</source>
<translation>Kosinusähnlichkeit jedes Paars von Token</translation>
</message>
<message>
<source>Cosine {cosine}, A and B</source>
<translation>Kosinus {cosine}, A und B</translation>
</message>
<message>
<source>Cosine:</source>
<translation>Kosinus:</translation>
</message>
<message>
<source>Cosines of tokens</source>
<translation>Kosinus von Token</translation>
</message>
<message>
<source>Counted in the first {share} of the text.</source>
<translation>Gezählt in den ersten {share} des Textes.</translation>
</message>
<message>
<source>Counted on a sample of {counted} out of {total}.</source>
<translation>Gezählt an einer Stichprobe von {counted} aus {total}.</translation>
</message>
<message>
<source>Ctrl+click another head to compare it</source>
<translation>Strg+Klick auf einen anderen Kopf vergleicht ihn</translation>
</message>
<message>
<source>Curves</source>
<translation>Kurven</translation>
</message>
<message>
<source>Cut</source>
<translation>Zerlegen</translation>
</message>
<message>
<source>Cut or padded to one length</source>
<translation>Auf eine Länge gekürzt oder aufgefüllt</translation>
</message>
<message numerus="yes">
<source>Cut, because longer than the model can read: %n example(s).</source>
<translation>
<numerusform>Gekürzt, weil länger, als das Modell lesen kann: %n Beispiel.</numerusform>
<numerusform>Gekürzt, weil länger, als das Modell lesen kann: %n Beispiele.</numerusform>
</translation>
</message>
<message>
<source>Dark</source>
<translation>Dunkel</translation>
</message>
<message>
<source>Darker: more of the difference is lost when this part changes at this token alone.</source>
<translation>Kräftiger: Mehr vom Unterschied geht verloren, wenn sich dieser Teil nur an diesem Token ändert.</translation>
</message>
<message>
<source>Date</source>
<translation>Datum</translation>
</message>
<message>
<source>Delete a run</source>
<translation>Einen Lauf löschen</translation>
</message>
<message>
<source>Delete all runs of this sweep…</source>
<translation>Alle Läufe dieser Versuchsreihe löschen…</translation>
</message>
<message>
<source>Delete…</source>
<translation>Löschen…</translation>
</message>
<message>
<source>Deselect</source>
<translation>Auswahl aufheben</translation>
</message>
<message>
<source>Deselect the token</source>
<translation>Auswahl aufheben</translation>
</message>
<message>
<source>Difference</source>
<translation>Unterschied</translation>
</message>
<message>
<source>Different vocabularies: the losses cannot be compared directly, because it is easier to guess among fewer words.</source>
<translation>Verschiedene Vokabulare: Die Losses lassen sich nicht direkt vergleichen, denn unter weniger Wörtern ist leichter zu raten.</translation>
</message>
<message>
<source>Direction of what is added</source>
<translation>Richtung des Hinzugefügten</translation>
</message>
<message>
<source>Dismiss this message</source>
<translation>Meldung schließen</translation>
</message>
<message>
<source>Distance</source>
<translation>Abstand</translation>
</message>
<message>
<source>Distance</source>
<comment>of weights</comment>
<translation>Strecke</translation>
</message>
<message>
<source>Distil</source>
<translation>Destillieren</translation>
</message>
<message>
<source>Diverged</source>
<translation>Divergiert</translation>
</message>
<message>
<source>Divide by the square root of D, the length of a query: `query.shape[1]`, not of how many tokens there are.</source>
<translation>Durch die Wurzel aus D teilen, der Länge einer Query: `query.shape[1]`, nicht aus der Zahl der Token.</translation>
</message>
<message>
<source>Divide by the square root of the variance, not by the variance.</source>
<translation>Durch die Wurzel der Varianz teilen, nicht durch die Varianz.</translation>
</message>
<message>
<source>Divide the scores by the square root of D before the softmax, so that they stay moderate.</source>
<translation>Die Scores vor der Softmax durch die Wurzel aus D teilen, damit sie nicht zu groß werden.</translation>
</message>
<message>
<source>Divide the scores by the square root of D before the softmax.</source>
<translation>Die Scores vor der Softmax durch die Wurzel aus D teilen.</translation>
</message>
<message>
<source>Divide the scores by the square root of D, not by D.</source>
<translation>Die Scores durch die Wurzel aus D teilen, nicht durch D.</translation>
</message>
<message>
<source>Divided by √{dims}, so that scores stay small: {score} becomes {scaled}.</source>
<translation>Geteilt durch √{dims}, damit Scores klein bleiben: Aus {score} wird {scaled}.</translation>
</message>
<message>
<source>Do texts about the same thing lie close together in the model, though nobody told it what they are about? Choose how many clusters, and compare them with the labels.</source>
<translation>Liegen Texte zum selben Thema im Modell nah beieinander, obwohl ihm niemand gesagt hat, worum es geht? Wähle die Zahl der Cluster und vergleiche sie mit den Labels.</translation>
</message>
<message>
<source>Do these parts work in other pairs, too? Write one on each line, as [woman/man]; click a bar to open it.</source>
<translation>Wirken diese Teile auch in anderen Paaren? Ein Paar je Zeile, so: [woman/man]; ein Klick auf einen Balken öffnet es.</translation>
</message>
<message>
<source>Do two questions mean the same? (QQP)</source>
<translation>Bedeuten zwei Fragen dasselbe? (QQP)</translation>
</message>
<message>
<source>Do two sentences mean the same? (MRPC)</source>
<translation>Bedeuten zwei Sätze dasselbe? (MRPC)</translation>
</message>
<message>
<source>Documents</source>
<translation>Dokumente</translation>
</message>
<message>
<source>Documents (*.txt *.tsv *.csv *.jsonl *.gz *.xz);;All files (*)</source>
<translation>Dokumente (*.txt *.tsv *.csv *.jsonl *.gz *.xz);;Alle Dateien (*)</translation>
</message>
<message>
<source>Documents by their two main directions</source>
<translation>Dokumente nach ihren zwei Hauptrichtungen</translation>
</message>
<message>
<source>Does A come before B?</source>
<translation>Kommt A vor B?</translation>
</message>
<message>
<source>Does B follow A? It does in half of the pairs: guessing gets 50% (dashed).</source>
<translation>Folgt B auf A? In der Hälfte der Paare: Raten bringt 50 % (gestrichelt).</translation>
</message>
<message>
<source>Does B follow A? You (in %): {line} The model: {model}</source>
<translation>Folgt B auf A? Eigene Antwort (in %): {line} Das Modell: {model}</translation>
</message>
<message>
<source>Does B follow from A, or contradict it? (MNLI)</source>
<translation>Folgt B aus A, oder widerspricht es? (MNLI)</translation>
</message>
<message>
<source>Does B follow from A? (RTE)</source>
<translation>Folgt B aus A? (RTE)</translation>
</message>
<message>
<source>Does a hidden state say whether its word is a noun or a verb? A small classifier (a probe) tries to read it off, after each layer.</source>
<translation>Verrät ein Hidden State, ob sein Wort ein Nomen oder ein Verb ist? Ein kleiner Klassifikator (eine Probe) versucht, es nach jeder Schicht abzulesen.</translation>
</message>
<message>
<source>Does it hold over many texts, not only in this one?</source>
<translation>Gilt das für viele Texte, nicht nur für diesen?</translation>
</message>
<message>
<source>Does it strengthen what was there?</source>
<translation>Verstärkt es, was da war?</translation>
</message>
<message>
<source>Does the model need to know the order of the words, or which sentence they belong to? Take that away, and see what it predicts.</source>
<translation>Muss das Modell wissen, in welcher Reihenfolge die Wörter stehen oder zu welchem Satz sie gehören? Ihm das wegnehmen und sehen, was es vorhersagt.</translation>
</message>
<message>
<source>Does the sentence answer the question? (QNLI)</source>
<translation>Beantwortet der Satz die Frage? (QNLI)</translation>
</message>
<message>
<source>Done</source>
<translation>Fertig</translation>
</message>
<message>
<source>Done, after {time} of training.</source>
<translation>Fertig, nach {time} Training.</translation>
</message>
<message>
<source>Done, after {time} of training. Step {best} was the best of {step} steps; the run ends with it.</source>
<translation>Fertig nach {time} Training. Schritt {best} war der beste von {step} Schritten; mit ihm endet der Lauf.</translation>
</message>
<message>
<source>Done: {before} of {all} questions right at the start, {now} after training ({time}).</source>
<translation>Fertig: am Anfang {before} von {all} Fragen richtig, nach dem Training ({time}) {now}.</translation>
</message>
<message>
<source>Done: {now}</source>
<translation>Geschafft: {now}</translation>
</message>
<message>
<source>Dots are documents, in the colour of their cluster. Click one to see which are nearest to it.</source>
<translation>Punkte sind Dokumente, in der Farbe ihres Clusters. Ein Klick zeigt, welche am nächsten liegen.</translation>
</message>
<message>
<source>Dots are documents, in the colour of their label; grey: several labels, or none.</source>
<translation>Punkte sind Dokumente, in der Farbe ihres Labels; grau: mehrere Labels oder keines.</translation>
</message>
<message>
<source>Dots are heads. Further right: looks at the word that differs. Further up or down: changes the answer.</source>
<translation>Ein Punkt ist ein Kopf. Weiter rechts: schaut auf das Wort, das sich unterscheidet. Weiter oben oder unten: ändert die Antwort.</translation>
</message>
<message>
<source>Dotted line: chance.</source>
<translation>Gepunktete Linie: Zufall.</translation>
</message>
<message>
<source>Dotted: how far apart the two are.</source>
<translation>Gepunktet: wie weit beide auseinander sind.</translation>
</message>
<message>
<source>Double-click a token to mask it: the model then guesses the word.</source>
<translation>Ein Token doppelt anklicken, um es zu maskieren: Das Modell rät dann das Wort.</translation>
</message>
<message>
<source>Double-click a token, or select it and press M, to mask it. The model then predicts which words belong there, and how likely each one is.</source>
<translation>Ein Token doppelt anklicken, oder auswählen und M drücken, um es zu maskieren. Das Modell sagt dann vorher, welche Wörter dorthin gehören und wie wahrscheinlich jedes ist.</translation>
</message>
<message>
<source>Download</source>
<translation>Herunterladen</translation>
</message>
<message>
<source>Drag a square up for more weight, down for less.</source>
<translation>Ein Quadrat nach oben ziehen für mehr Gewicht, nach unten für weniger.</translation>
</message>
<message>
<source>Drag a square up or down to change its weight</source>
<translation>Ein Quadrat nach oben oder unten ziehen, um sein Gewicht zu ändern</translation>
</message>
<message>
<source>Drag to a saved step and open it: all pictures, from Map to Layers, show the model as it was then. Early steps are saved more often (not drawn to scale).</source>
<translation>Auf einen gespeicherten Schritt ziehen und ihn öffnen: Alle Bilder, von Überblick bis Schichten, zeigen das Modell, wie es da war. Frühe Schritte werden öfter gespeichert (nicht maßstäblich).</translation>
</message>
<message>
<source>Draw a new one each time: `rng.choice(words)`.</source>
<translation>Jedes Mal ein neues losen: `rng.choice(words)`.</translation>
</message>
<message>
<source>Draw a number for each token: `rng.random(len(ids))`.</source>
<translation>Für jedes Token eine Zahl losen: `rng.random(len(ids))`.</translation>
</message>
<message>
<source>Draw one number for each token: below 0.8 [MASK], from there to 0.9 a random word, else the token itself.</source>
<translation>Für jedes Token eine Zahl losen: unter 0.8 [MASK], von da bis 0.9 ein Zufallswort, sonst das Token selbst.</translation>
</message>
<message>
<source>Dropout</source>
<translation>Dropout</translation>
</message>
<message>
<source>Dropout before the new head</source>
<translation>Dropout vor dem neuen Ausgabekopf</translation>
</message>
<message>
<source>ELECTRA’s way of learning, in the shape of BERT-base</source>
<translation>ELECTRAs Art zu lernen, in der Form von BERT-base</translation>
</message>
<message>
<source>Each answer comes from one line: yes or no from {token}, “What fits?” from the word.</source>
<translation>Jede Antwort kommt von einer Linie: ja oder nein von {token}, „Was passt?“ vom Wort.</translation>
</message>
<message>
<source>Each card has its own scale, symmetric around 0.</source>
<translation>Jeder Kasten hat seine eigene Skala, symmetrisch um 0.</translation>
</message>
<message>
<source>Each cell is one experiment: this token’s numbers after this layer come from the other text. Red: the answer moves to the other text’s (1: all the way; no colour: hardly). Click a cell to try it in all views.</source>
<translation>Jede Zelle ist ein Versuch: Die Zahlen dieses Tokens nach dieser Schicht kommen aus dem anderen Text. Rot: Die Antwort nähert sich der anderen (1: ganz; ohne Farbe: kaum). Ein Klick zeigt es in allen Ansichten.</translation>
</message>
<message>
<source>Each cell: how much of the attention of [MASK] goes to the word in which the texts differ, on average.</source>
<translation>Jede Zelle: wie viel der Attention von [MASK] im Mittel auf das Wort geht, in dem sich die Texte unterscheiden.</translation>
</message>
<message>
<source>Each cell: two tokens. Red: their numbers are alike (1). No colour: unrelated. Blue: opposite.</source>
<translation>Jedes Feld: zwei Token. Rot: Ihre Zahlen ähneln sich (1). Ohne Farbe: unverwandt. Blau: entgegengesetzt.</translation>
</message>
<message>
<source>Each dot is a head. Heads close together look at the same tokens. Fainter: lower layers. Below: which heads are most like the chosen one; 0 would be exactly alike.</source>
<translation>Jeder Punkt ist ein Kopf. Köpfe nah beieinander schauen auf dieselben Tokens. Blasser: untere Schichten. Darunter: welche Köpfe dem ausgewählten am ähnlichsten sind; 0 wäre genau gleich.</translation>
</message>
<message>
<source>Each dot is a token.</source>
<translation>Jeder Punkt ist ein Token.</translation>
</message>
<message>
<source>Each dot is a token. Near tokens tend to be alike: this flat picture shows {share} of the differences.</source>
<translation>Jeder Punkt ist ein Token. Nahe Token ähneln sich meist: Dieses flache Bild zeigt {share} der Unterschiede.</translation>
</message>
<message>
<source>Each dot is one use; the model sees near ones alike. The 3 colours explain {apart} of the differences, by chance it would be {chance}.</source>
<translation>Jeder Punkt ist eine Verwendung; nahe Punkte sind für das Modell ähnlich. Die 3 Farben erklären {apart} der Unterschiede, durch Zufall wären es {chance}.</translation>
</message>
<message>
<source>Each dot is one use; the model sees near ones alike. There are no clear groups: 3 groups explain {apart} of the differences, by chance it would be {chance}.</source>
<translation>Jeder Punkt ist eine Verwendung; nahe Punkte sind für das Modell ähnlich. Klare Gruppen gibt es nicht: 3 Gruppen erklären {apart} der Unterschiede, durch Zufall wären es {chance}.</translation>
</message>
<message>
<source>Each head is switched off once. Red squares: it supports this answer. Blue: it works against it.</source>
<translation>Jeder Kopf wird einmal abgeschaltet. Rote Quadrate: Er spricht für diese Antwort. Blau: dagegen.</translation>
</message>
<message>
<source>Each is a text of its own, so both are segment A.</source>
<translation>Es sind zwei getrennte Texte, daher gehören beide zu Segment A.</translation>
</message>
<message>
<source>Each label is decided on its own: a text gets it if its probability is {least} or more. Change a word: which bars move?</source>
<translation>Über jedes Label wird einzeln entschieden: Ein Text bekommt es, wenn seine Wahrscheinlichkeit mindestens {least} ist. Ein Wort ändern: Welche Balken bewegen sich?</translation>
</message>
<message>
<source>Each layer adds to them: the larger they are, the less one more layer changes them.</source>
<translation>Jede Schicht fügt etwas hinzu: Je größer sie sind, desto weniger ändert eine weitere Schicht.</translation>
</message>
<message>
<source>Each layer ends with a LayerNorm, which keeps sizes close together.</source>
<translation>Jede Schicht endet mit einer LayerNorm, die die Größen nah beieinander hält.</translation>
</message>
<message>
<source>Each of {neurons} neurons reads all {size} numbers of “{token}” and answers with one.</source>
<translation>Jedes von {neurons} Neuronen liest alle {size} Zahlen von „{token}“ und antwortet mit einer.</translation>
</message>
<message>
<source>Each sentence becomes one vector; their cosine says how similar they are.</source>
<translation>Jeder Satz wird ein Vektor; ihr Kosinus sagt, wie ähnlich sie sich sind.</translation>
</message>
<message>
<source>Each sentence is read on its own, as typed, and becomes one vector: {vector}. Their cosine is 1 where both point the same way and about 0 where they have nothing in common. What counts as high differs from model to model.</source>
<translation>Jeder Satz wird für sich gelesen, wie er dasteht, und wird zu einem Vektor: {vector}. Ihr Kosinus ist 1, wenn beide in dieselbe Richtung zeigen, und etwa 0, wenn sie nichts gemeinsam haben. Was als hoch gilt, ist von Modell zu Modell verschieden.</translation>
</message>
<message>
<source>Each small picture is one head: click it.</source>
<translation>Jedes kleine Bild ist ein Kopf: anklicken.</translation>
</message>
<message>
<source>Each step changes all weights a little. Stronger colour: the part moved further, compared with its length. A column for each step that was measured.</source>
<translation>Jeder Schritt ändert alle Gewichte ein wenig. Kräftigere Farbe: Der Teil bewegte sich weiter, verglichen mit seiner Länge. Eine Spalte für jeden gemessenen Schritt.</translation>
</message>
<message>
<source>Each token becomes {count} numbers (red: above 0, blue: below): its learned vectors, added up.</source>
<translation>Jedes Token wird zu {count} Zahlen (rot: über 0, blau: darunter): seinen gelernten Vektoren, addiert.</translation>
</message>
<message>
<source>Each token got the mean of what it picks up, not the sum.</source>
<translation>Jedes Token hat den Mittelwert dessen bekommen, was es mitnimmt, nicht die Summe.</translation>
</message>
<message>
<source>Each token has a mean and a variance of its own: `axis=-1, keepdims=True`.</source>
<translation>Jedes Token hat seinen eigenen Mittelwert und seine eigene Varianz: `axis=-1, keepdims=True`.</translation>
</message>
<message>
<source>Each token is a row in every strip</source>
<translation>Jedes Token ist eine Zeile in jedem Streifen</translation>
</message>
<message>
<source>Each token is normalised by itself: mean and variance go along the last side, `axis=-1, keepdims=True`.</source>
<translation>Jedes Token wird für sich normiert: Mittelwert und Varianz gehen über die letzte Seite, `axis=-1, keepdims=True`.</translation>
</message>
<message>
<source>Each token looks at its neighbours.</source>
<translation>Jedes Token schaut auf seine Nachbarn.</translation>
</message>
<message>
<source>Each token looks at itself: {share} of the attention.</source>
<translation>Jedes Token schaut auf sich selbst: {share} der Attention.</translation>
</message>
<message>
<source>Each token looks at nearly everything at once.</source>
<translation>Jedes Token schaut auf fast alles zugleich.</translation>
</message>
<message>
<source>Each token looks at the one after it: {share} of the attention.</source>
<translation>Jedes Token schaut auf das danach: {share} der Attention.</translation>
</message>
<message>
<source>Each token looks at the one before it: {share} of the attention.</source>
<translation>Jedes Token schaut auf das davor: {share} der Attention.</translation>
</message>
<message>
<source>Each token that looks gives away its own attention: the softmax goes along the last side, `axis=-1, keepdims=True`.</source>
<translation>Jedes Token, das schaut, verteilt seine eigene Attention: Die Softmax geht über die letzte Seite, `axis=-1, keepdims=True`.</translation>
</message>
<message>
<source>Each token’s strongest lines, together at least</source>
<translation>Die stärksten Linien jedes Tokens, zusammen mindestens</translation>
</message>
<message>
<source>Each was trained once: a small difference may be chance.</source>
<translation>Jede wurde nur einmal trainiert: Ein kleiner Unterschied kann Zufall sein.</translation>
</message>
<message>
<source>Each word is masked in turn. Red: without it the model is less sure of “{label}”. Blue: surer. +0.7: half as likely without it.</source>
<translation>Jedes Wort wird der Reihe nach maskiert. Rot: Ohne es ist sich das Modell bei „{label}“ weniger sicher. Blau: sicherer. +0,7: ohne es halb so wahrscheinlich.</translation>
</message>
<message>
<source>Each word is masked once while the model reads all the others as typed. Stronger colour: harder to guess.</source>
<translation>Jedes Wort wird einmal maskiert, während das Modell alle anderen liest, wie sie getippt sind. Kräftigere Farbe: schwerer zu raten.</translation>
</message>
<message>
<source>Each word is the most likely one there, given those already filled in. Stronger colour: more certain.</source>
<translation>Jedes Wort ist dort das wahrscheinlichste, wenn die schon eingesetzten feststehen. Kräftigere Farbe: sicherer.</translation>
</message>
<message>
<source>Each word of the selected example is replaced by likely ones</source>
<translation>Jedes Wort des gewählten Beispiels wird durch wahrscheinliche ersetzt</translation>
</message>
<message>
<source>Early steps are drawn further apart (logarithmic).</source>
<translation>Frühe Schritte liegen weiter auseinander (logarithmisch).</translation>
</message>
<message>
<source>Easiest examples</source>
<translation>Leichteste Beispiele</translation>
</message>
<message>
<source>Edit</source>
<translation>Bearbeiten</translation>
</message>
<message>
<source>Edit a row</source>
<translation>Zeile ändern</translation>
</message>
<message>
<source>Edit sentence A</source>
<translation>Satz A bearbeiten</translation>
</message>
<message>
<source>Edit weights</source>
<translation>Gewichte ändern</translation>
</message>
<message>
<source>Edited attention rows, moved tokens and swapped-in parts have no effect here, because the model reads different tokens.</source>
<translation>Bearbeitete Attention-Zeilen, verschobene Token und Ausgetauschtes wirken hier nicht, weil das Modell andere Token liest.</translation>
</message>
<message>
<source>Edited. The rest of the row was scaled so that it sums to 1.</source>
<translation>Geändert. Der Rest der Zeile wurde auf Summe 1 gebracht.</translation>
</message>
<message>
<source>Effect</source>
<translation>Wirkung</translation>
</message>
<message>
<source>Effect: what this head does here; orange: the opposite of its mean.</source>
<translation>Wirkung: was dieser Kopf hier tut; orange: umgekehrt wie im Mittel.</translation>
</message>
<message>
<source>Effects</source>
<translation>Wirkung</translation>
</message>
<message>
<source>Embed</source>
<translation>Embeddings</translation>
</message>
<message>
<source>Embed and Attend show how it reads the text.</source>
<translation>Embeddings und Attention zeigen, wie es den Text liest.</translation>
</message>
<message>
<source>Embeddings</source>
<translation>Embeddings</translation>
</message>
<message>
<source>End the comparison</source>
<translation>Den Vergleich beenden</translation>
</message>
<message>
<source>End the comparison (Esc)</source>
<translation>Den Vergleich beenden (Esc)</translation>
</message>
<message>
<source>End the game</source>
<translation>Spiel beenden</translation>
</message>
<message>
<source>End the run, and save a snapshot</source>
<translation>Den Lauf beenden und einen Snapshot speichern</translation>
</message>
<message>
<source>Endings</source>
<translation>Enden</translation>
</message>
<message>
<source>Endings, most likely first</source>
<translation>Schlüsse, der wahrscheinlichste zuerst</translation>
</message>
<message>
<source>Enter: answer · ↓: another sentence</source>
<translation>Enter: Antwort · ↓: anderer Satz</translation>
</message>
<message>
<source>Enter: check</source>
<translation>Enter: prüfen</translation>
</message>
<message>
<source>Enter: next page</source>
<translation>Enter: weiter</translation>
</message>
<message>
<source>Estimated from part of the data.</source>
<translation>Geschätzt anhand eines Teils der Daten.</translation>
</message>
<message>
<source>Every attention head, small</source>
<translation>Jeder Attention-Kopf, klein</translation>
</message>
<message>
<source>Every head</source>
<translation>Alle Köpfe</translation>
</message>
<message>
<source>Every head: rows are layers, columns are heads</source>
<translation>Alle Köpfe: Zeilen sind Schichten, Spalten sind Köpfe</translation>
</message>
<message>
<source>Every layer gives each token a new list of numbers, its hidden state. Move the slider: which tokens become so alike that the model can hardly tell them apart?</source>
<translation>Jede Schicht gibt jedem Token eine neue Liste von Zahlen, seinen Hidden State. Den Regler bewegen: Welche Token werden so ähnlich, dass das Modell sie kaum noch unterscheiden kann?</translation>
</message>
<message>
<source>Every layer moves each token. Which lines come together, and which move apart?</source>
<translation>Jede Schicht bewegt jedes Token. Welche Linien kommen zusammen, welche entfernen sich?</translation>
</message>
<message>
<source>Every line is one token of your text, from left to right through all layers. Hover over a line to follow it; mask a token (M) to have it guessed. Click any part to open it.</source>
<translation>Jede Linie ist ein Token des Textes, von links nach rechts durch alle Schichten. Mit der Maus auf eine Linie zeigen, um ihr zu folgen; ein Token maskieren (M), um es raten zu lassen. Ein Klick öffnet jeden Teil.</translation>
</message>
<message>
<source>Every line is one token of your text. Follow the thick line of {mask} from left to right: it starts as a mask and ends as a word; the words on it are the best guess so far. Click any part to open it.</source>
<translation>Jede Linie ist ein Token des Textes. Der dicken Linie von {mask} von links nach rechts folgen: Sie beginnt als Maske und endet als Wort; die Wörter auf ihr sind der jeweils beste Tipp. Ein Klick öffnet jeden Teil.</translation>
</message>
<message>
<source>Every line is one token of your text. Hover over a line to follow it, click any part to open it.</source>
<translation>Jede Linie ist ein Token des Textes. Auf eine Linie zeigen: ihr folgen. Ein Klick öffnet jeden Teil.</translation>
</message>
<message>
<source>Every model cuts words into pieces in its own way, and a word in pieces is harder to understand. Type a rare word: which of the two cuts it into more pieces?</source>
<translation>Jedes Modell zerlegt Wörter auf seine Weise, und ein zerlegtes Wort ist schwerer zu verstehen. Ein seltenes Wort eintippen: Welches der beiden zerlegt es in mehr Stücke?</translation>
</message>
<message>
<source>Every number between what enters this layer and what leaves it.</source>
<translation>Jede Zahl zwischen dem, was in diese Schicht hineingeht, und dem, was herauskommt.</translation>
</message>
<message>
<source>Every passage it was trained on contains the answer, so it always gives one.</source>
<translation>In jedem Text, an dem es trainiert wurde, steht die Antwort; deshalb gibt es immer eine.</translation>
</message>
<message>
<source>Every room compares the two sentences of the selected row (double-click)</source>
<translation>Jeder Raum vergleicht die beiden Sätze der gewählten Zeile (Doppelklick)</translation>
</message>
<message>
<source>Every token has a key: {dims} numbers that a query is compared with.</source>
<translation>Jedes Token hat einen Key: {dims} Zahlen, mit denen eine Query verglichen wird.</translation>
</message>
<message>
<source>Every token has a value: {dims} numbers that it passes on to whoever looks at it.</source>
<translation>Jedes Token hat einen Value: {dims} Zahlen, die es an den weitergibt, der darauf schaut.</translation>
</message>
<message>
<source>Every token sees the context on both sides, in every layer. Its size is that of GPT, so that the two can be compared.</source>
<translation>Jedes Token sieht in jeder Schicht den Kontext auf beiden Seiten. Die Größe ist die von GPT, damit sich beide vergleichen lassen.</translation>
</message>
<message>
<source>Evidence</source>
<translation>Belege</translation>
</message>
<message>
<source>Example</source>
<translation>Beispiel</translation>
</message>
<message>
<source>Example length in tokens</source>
<translation>Länge der Beispiele in Tokens</translation>
</message>
<message>
<source>Examples</source>
<translation>Beispiele</translation>
</message>
<message>
<source>Examples (*.tsv *.csv *.jsonl *.json *.txt *.conll *.parquet *.gz *.xz);;All files (*)</source>
<translation>Beispiele (*.tsv *.csv *.jsonl *.json *.txt *.conll *.parquet *.gz *.xz);;Alle Dateien (*)</translation>
</message>
<message>
<source>Export a run</source>
<translation>Einen Lauf exportieren</translation>
</message>
<message>
<source>Export as one file…</source>
<translation>Als eine Datei exportieren…</translation>
</message>
<message>
<source>F1</source>
<translation>F1</translation>
</message>
<message>
<source>F1 of all labels</source>
<translation>F1 aller Labels</translation>
</message>
<message>
<source>F1, answered</source>
<translation>F1, beantwortet</translation>
</message>
<message>
<source>F1, best threshold</source>
<translation>F1, beste Schwelle</translation>
</message>
<message>
<source>F1, mean of classes</source>
<translation>F1, Mittel der Klassen</translation>
</message>
<message>
<source>FF {layer}</source>
<translation>FF {layer}</translation>
</message>
<message>
<source>Failed</source>
<translation>Fehlgeschlagen</translation>
</message>
<message>
<source>Falling to zero is usual; the slanted triangle rises fast and falls slowly.</source>
<translation>Üblich ist, dass sie auf null fällt; das schräge Dreieck steigt schnell und fällt langsam.</translation>
</message>
<message>
<source>Feed-forward in</source>
<translation>Feed-Forward, hinein</translation>
</message>
<message>
<source>Feed-forward out</source>
<translation>Feed-Forward, heraus</translation>
</message>
<message>
<source>Feed-forward size</source>
<translation>Breite der Feed-Forward-Schicht</translation>
</message>
<message>
<source>Fewer examples: a shorter run, and a weaker model.</source>
<translation>Weniger Beispiele: ein kürzerer Lauf und ein schwächeres Modell.</translation>
</message>
<message>
<source>Fewer examples: faster measurements, but less reliable ones.</source>
<translation>Weniger Beispiele: schnellere, aber weniger verlässliche Messungen.</translation>
</message>
<message>
<source>File</source>
<translation>Datei</translation>
</message>
<message>
<source>Fill all</source>
<translation>Alle füllen</translation>
</message>
<message>
<source>Fill in order</source>
<translation>Nacheinander füllen</translation>
</message>
<message>
<source>Fill next</source>
<translation>Nächste füllen</translation>
</message>
<message>
<source>Fill the masks one at a time</source>
<translation>Die Masken eine nach der anderen füllen</translation>
</message>
<message>
<source>Film strip</source>
<translation>Filmstreifen</translation>
</message>
<message>
<source>Film strip of {run}</source>
<translation>Filmstreifen von {run}</translation>
</message>
<message>
<source>Film strip: a column for each snapshot, from the first step to the last</source>
<translation>Filmstreifen: eine Spalte für jeden Snapshot, vom ersten Schritt bis zum letzten</translation>
</message>
<message>
<source>Final LayerNorm</source>
<translation>Abschließendes LayerNorm</translation>
</message>
<message>
<source>Find</source>
<translation>Suchen</translation>
</message>
<message>
<source>Find a command</source>
<translation>Befehl suchen</translation>
</message>
<message>
<source>Find a command, a room, an example; 3.4 goes to layer 3, head 4</source>
<translation>Einen Befehl, einen Raum, ein Beispiel suchen; 3.4 geht zu Schicht 3, Kopf 4</translation>
</message>
<message>
<source>Find a command…</source>
<translation>Befehl suchen…</translation>
</message>
<message>
<source>Find heads: a kind or a condition</source>
<translation>Köpfe suchen: eine Art oder eine Bedingung</translation>
</message>
<message>
<source>Find the answer in a passage</source>
<translation>Die Antwort in einem Text finden</translation>
</message>
<message>
<source>Fine-tune it</source>
<translation>Feintunen</translation>
</message>
<message>
<source>Fine-tuned to choose the best ending.</source>
<translation>Feingetunt, um den besten Schluss zu wählen.</translation>
</message>
<message>
<source>Fine-tuned to classify texts.</source>
<translation>Feingetunt, um Texte zu klassifizieren.</translation>
</message>
<message>
<source>Fine-tuned to find answers in a passage.</source>
<translation>Feingetunt, um Antworten in einem Text zu finden.</translation>
</message>
<message>
<source>Fine-tuned to give texts several labels at once.</source>
<translation>Feingetunt, um Texten mehrere Labels zugleich zu geben.</translation>
</message>
<message>
<source>Fine-tuned to pick the sentences that sum up a text.</source>
<translation>Feingetunt, um die Sätze auszuwählen, die einen Text zusammenfassen.</translation>
</message>
<message>
<source>Fine-tuned to rate texts with a number.</source>
<translation>Feingetunt, um Texte mit einer Zahl zu bewerten.</translation>
</message>
<message>
<source>Fine-tuned to tag each word.</source>
<translation>Feingetunt, um jedes Wort zu taggen.</translation>
</message>
<message>
<source>First word ← second</source>
<translation>Erstes Wort ← zweites</translation>
</message>
<message>
<source>First word → second</source>
<translation>Erstes Wort → zweites</translation>
</message>
<message>
<source>Five guesses, best first, with commas</source>
<translation>5 Wörter mit Komma, bestes zuerst</translation>
</message>
<message>
<source>Five learning rates, each a third as long</source>
<translation>Fünf Lernraten, je ein Drittel so lang</translation>
</message>
<message>
<source>Five runs, one after the other: which learning rate does best?</source>
<translation>Fünf Läufe nacheinander: Welche Lernrate ist die beste?</translation>
</message>
<message>
<source>Flow</source>
<translation>Fluss</translation>
</message>
<message>
<source>Flow · after layer 1</source>
<translation>Fluss · nach Schicht 1</translation>
</message>
<message>
<source>Flow · after layers 1–{last}</source>
<translation>Fluss · nach Schicht 1–{last}</translation>
</message>
<message>
<source>Folder with answers that were handed in</source>
<translation>Ordner mit abgegebenen Antworten</translation>
</message>
<message>
<source>Follow the run</source>
<translation>Dem Lauf folgen</translation>
</message>
<message>
<source>Follow the run that trains</source>
<translation>Dem laufenden Training folgen</translation>
</message>
<message>
<source>For a text of {count} tokens this map takes about {time}.</source>
<translation>Bei einem Text von {count} Token dauert diese Karte etwa {time}.</translation>
</message>
<message>
<source>For each text you get: how surprising it is, how likely the word at [MASK] is, and whether B follows A. Type texts, or try an example.</source>
<translation>Zu jedem Text kommt: wie überraschend er ist, wie wahrscheinlich das Wort an [MASK], und ob B auf A folgt. Texte eintippen oder ein Beispiel ausprobieren.</translation>
</message>
<message>
<source>For example: “{text}”</source>
<translation>Zum Beispiel: „{text}“</translation>
</message>
<message>
<source>For example: “{text}”, with a passage that has the answer.</source>
<translation>Zum Beispiel: „{text}“, dazu ein Text, in dem die Antwort steht.</translation>
</message>
<message>
<source>For {collection} and this model this takes about {time}.</source>
<translation>Für {collection} und dieses Modell dauert das etwa {time}.</translation>
</message>
<message>
<source>For {word}: the parts add up to its score before softmax, its logit: {logit}. The largest are shown.</source>
<translation>Für {word}: Die Teile ergeben zusammen seinen Wert vor der Softmax, sein Logit: {logit}. Gezeigt sind die größten.</translation>
</message>
<message>
<source>For {word}: the parts add up to the difference of the two logits: {logit}. The largest are shown.</source>
<translation>Für {word}: Die Teile ergeben zusammen den Unterschied der beiden Logits: {logit}. Gezeigt sind die größten.</translation>
</message>
<message>
<source>Framed: a different word from that {there}.</source>
<translation>Umrahmt: ein anderes Wort als {there}.</translation>
</message>
<message>
<source>From a recipe or a run’s config.json</source>
<translation>Aus einem Rezept oder der config.json eines Laufs</translation>
</message>
<message>
<source>From noise to patterns</source>
<translation>Aus Rauschen werden Muster</translation>
</message>
<message>
<source>From query and key to one attention weight</source>
<translation>Von Query und Key zu einem Attention-Gewicht</translation>
</message>
<message>
<source>From the first step to the last</source>
<translation>Vom ersten Schritt bis zum letzten</translation>
</message>
<message>
<source>From the ids of the top row, “{text}” is all that can be read back.</source>
<translation>Aus den Nummern der oberen Reihe lässt sich nur noch „{text}“ lesen.</translation>
</message>
<message>
<source>Frozen layers</source>
<translation>Eingefrorene Schichten</translation>
</message>
<message>
<source>Full screen</source>
<translation>Vollbild</translation>
</message>
<message>
<source>Full speed</source>
<translation>Volles Tempo</translation>
</message>
<message>
<source>Furthest apart: “{token}”, {stage}.</source>
<translation>Am weitesten auseinander: „{token}“, {stage}.</translation>
</message>
<message>
<source>GELU(w · h + b)</source>
<translation>GELU(w · h + b)</translation>
</message>
<message>
<source>GLUE: eight tasks of language understanding</source>
<translation>GLUE: acht Aufgaben zum Sprachverstehen</translation>
</message>
<message>
<source>Getting ready: a few seconds…</source>
<translation>Wird vorbereitet: ein paar Sekunden…</translation>
</message>
<message>
<source>Give it an hour or more.</source>
<translation>Braucht eine Stunde oder mehr.</translation>
</message>
<message>
<source>Give it several hours.</source>
<translation>Braucht mehrere Stunden.</translation>
</message>
<message>
<source>Give it ten minutes or more.</source>
<translation>Braucht zehn Minuten oder mehr.</translation>
</message>
<message>
<source>Give texts several labels at once</source>
<translation>Texten mehrere Labels zugleich geben</translation>
</message>
<message>
<source>Given</source>
<translation>Gegeben</translation>
</message>
<message>
<source>Go on there</source>
<translation>Dort weitermachen</translation>
</message>
<message>
<source>Gradient</source>
<translation>Gradient</translation>
</message>
<message>
<source>Gradient norm</source>
<translation>Gradientennorm</translation>
</message>
<message>
<source>Gradient · {head}</source>
<translation>Gradient · {head}</translation>
</message>
<message>
<source>Gradient × input</source>
<translation>Gradient × Eingabe</translation>
</message>
<message>
<source>Gradient × input: share of each token</source>
<translation>Gradient × Eingabe: Anteil jedes Tokens</translation>
</message>
<message>
<source>Gradient: an estimate of what a weight 1 higher would do, even where the head hardly looks.</source>
<translation>Gradient: geschätzt, was ein um 1 höheres Gewicht bewirken würde, auch wo der Kopf kaum hinschaut.</translation>
</message>
<message>
<source>Gradient: estimated</source>
<translation>Gradient: geschätzt</translation>
</message>
<message>
<source>Gradual unfreezing</source>
<translation>Schrittweises Auftauen</translation>
</message>
<message>
<source>Grammar</source>
<translation>Grammatik</translation>
</message>
<message>
<source>Grey on the left: not in the list any more.</source>
<translation>Grau links: nicht mehr in der Liste.</translation>
</message>
<message>
<source>Grey: special tokens.</source>
<translation>Grau: Spezialtoken.</translation>
</message>
<message>
<source>Grey: the final guess {there}, if it is a different word.</source>
<translation>Grau: der letzte Tipp {there}, wenn es ein anderes Wort ist.</translation>
</message>
<message>
<source>Grey: the guess {there}, where it is a different word.</source>
<translation>Grau: der Tipp {there}, wo es ein anderes Wort ist.</translation>
</message>
<message>
<source>Guess</source>
<translation>Tipp</translation>
</message>
<message>
<source>Guess the hidden word</source>
<translation>Ratet das verdeckte Wort</translation>
</message>
<message>
<source>Guessing by word frequency alone would give a loss of {level}.</source>
<translation>Raten allein nach Worthäufigkeit ergäbe einen Loss von {level}.</translation>
</message>
<message>
<source>Guessing game</source>
<translation>Ratespiel</translation>
</message>
<message>
<source>Guessing game: the class against the model</source>
<translation>Ratespiel: die Klasse gegen das Modell</translation>
</message>
<message>
<source>Half of BERT’s layers, no segments, no pooler; it learned from BERT’s own answers</source>
<translation>Halb so viele Schichten wie BERT, keine Segmente, kein Pooler; es hat aus BERTs Antworten gelernt</translation>
</message>
<message>
<source>Half of the other 20% become a random word: `rng.choice(words)`.</source>
<translation>Die Hälfte der anderen 20 % wird ein Zufallswort: `rng.choice(words)`.</translation>
</message>
<message>
<source>Half-trained</source>
<translation>Halb trainiert</translation>
</message>
<message>
<source>Hand in your answers</source>
<translation>Antworten abgeben</translation>
</message>
<message>
<source>Hand in your answers…</source>
<translation>Antworten abgeben…</translation>
</message>
<message>
<source>Hand in…</source>
<translation>Abgeben…</translation>
</message>
<message>
<source>Hardest examples</source>
<translation>Schwierigste Beispiele</translation>
</message>
<message>
<source>Head</source>
<translation>Kopf</translation>
</message>
<message>
<source>Head {head}</source>
<translation>Kopf {head}</translation>
</message>
<message>
<source>Head {head} finds {share} of the pairs “{relation}”; guessing that the second word always stands {guess} of the first would find {other}.</source>
<translation>Kopf {head} findet {share} der Paare „{relation}“; der Tipp, das zweite Wort stehe immer {guess} vom ersten, fände {other}.</translation>
</message>
<message>
<source>Head {head} · off</source>
<translation>Kopf {head} · aus</translation>
</message>
<message>
<source>Head {layer}·{head}</source>
<translation>Kopf {layer}·{head}</translation>
</message>
<message>
<source>Heads</source>
<translation>Köpfe</translation>
</message>
<message>
<source>Heads as points: near each other where they look at the same tokens</source>
<translation>Köpfe als Punkte: nah beieinander, wo sie auf dieselben Token schauen</translation>
</message>
<message>
<source>Heads by their attention to the word that differs, and by their effect</source>
<translation>Köpfe nach ihrer Attention auf das Wort, das sich unterscheidet, und nach ihrer Wirkung</translation>
</message>
<message>
<source>Heads most similar to this one</source>
<translation>Köpfe, die diesem am ähnlichsten sind</translation>
</message>
<message>
<source>Heads per layer</source>
<translation>Köpfe je Schicht</translation>
</message>
<message>
<source>Heads that matter most for this prediction</source>
<translation>Köpfe, die für diese Vorhersage am wichtigsten sind</translation>
</message>
<message>
<source>Heads that moved most</source>
<translation>Köpfe, die sich am meisten bewegt haben</translation>
</message>
<message>
<source>Held-out text</source>
<translation>Ungesehener Text</translation>
</message>
<message>
<source>Held-out {figure} by {setting}</source>
<translation>{figure} auf ungesehenen Daten, nach {setting}</translation>
</message>
<message>
<source>Help</source>
<translation>Hilfe</translation>
</message>
<message>
<source>Here a fine-tuned model answers many examples, right or wrong. Open one, or fine-tune one in Train.</source>
<translation>Hier beantwortet ein feingetuntes Modell viele Beispiele, richtig oder falsch. Eines öffnen oder in Training feintunen.</translation>
</message>
<message>
<source>Here it is the mean of the squares, divided by H: `x.var(axis=-1, keepdims=True)`, without `ddof`.</source>
<translation>Hier ist sie das Mittel der Quadrate, geteilt durch H: `x.var(axis=-1, keepdims=True)`, ohne `ddof`.</translation>
</message>
<message>
<source>Here it is {speed} times as fast.</source>
<translation>Hier ist es {speed}-mal so schnell.</translation>
</message>
<message>
<source>Here the model uses only the line of {token}.</source>
<translation>Hier benutzt das Modell nur die Linie von {token}.</translation>
</message>
<message>
<source>Here the model uses only the lines of {first} and {mask}. It picks the likeliest of {count} tokens.</source>
<translation>Hier zählen nur die Linien von {first} und {mask}. Der Tipp: das wahrscheinlichste von {count} Token.</translation>
</message>
<message>
<source>Here you make the change; Overview shows its effect next to the baseline.</source>
<translation>Hier entsteht die Änderung; der Überblick zeigt ihre Wirkung neben der Baseline.</translation>
</message>
<message>
<source>Hidden layers of the classifier</source>
<translation>Verborgene Schichten des Klassifikators</translation>
</message>
<message>
<source>Hidden size</source>
<translation>Breite der Hidden States</translation>
</message>
<message>
<source>Hidden state in</source>
<translation>Hidden State, Eingang</translation>
</message>
<message>
<source>Hidden states</source>
<translation>Hidden States</translation>
</message>
<message>
<source>Hidden until you have answered the question</source>
<translation>Verdeckt, bis du die Frage beantwortet hast</translation>
</message>
<message>
<source>Hidden until you have guessed</source>
<translation>Verdeckt, bis ihr geraten habt</translation>
</message>
<message>
<source>Hidden: {words}</source>
<translation>Verdeckt: {words}</translation>
</message>
<message>
<source>Hide names</source>
<translation>Ohne Namen</translation>
</message>
<message>
<source>Hide the answer</source>
<translation>Antwort verbergen</translation>
</message>
<message>
<source>Hide the log</source>
<translation>Protokoll ausblenden</translation>
</message>
<message>
<source>High contrast</source>
<translation>Hoher Kontrast</translation>
</message>
<message>
<source>Higher: the student sees more of the words that its teacher finds unlikely.</source>
<translation>Höher: Der Schüler sieht mehr von den Wörtern, die der Lehrer für unwahrscheinlich hält.</translation>
</message>
<message>
<source>Higher: this part adds more; grey: what enters the layer, which LayerNorm brings back to one size. To “{token}”, attention adds most in layer {attention}, feed-forward in layer {feed_forward}.</source>
<translation>Höher: Dieser Teil fügt mehr hinzu; grau: was in die Schicht kommt, von LayerNorm auf eine Größe gebracht. Zu „{token}“ fügt Attention am meisten in Schicht {attention} hinzu, Feed-Forward in Schicht {feed_forward}.</translation>
</message>
<message>
<source>Highlighted: the parts that matter most, each on its own. Arrows take longer.</source>
<translation>Hervorgehoben: die Teile, auf die es am meisten ankommt, jeder für sich. Pfeile dauern länger.</translation>
</message>
<message>
<source>Hint</source>
<translation>Hinweis</translation>
</message>
<message>
<source>Hints</source>
<translation>Hinweise</translation>
</message>
<message>
<source>Hold X to see the baseline’s map.</source>
<translation>Solange X gedrückt ist, erscheint die Karte des Vergleichs.</translation>
</message>
<message>
<source>Hold X to see the map {there}.</source>
<translation>X gedrückt halten zeigt die Karte {there}.</translation>
</message>
<message>
<source>Hold for baseline</source>
<translation>Halten für Baseline</translation>
</message>
<message>
<source>Hollow: for each token, the words whose vectors point in a similar direction (cosine).</source>
<translation>Hohl: für jedes Token die Wörter, deren Vektoren in eine ähnliche Richtung zeigen (Kosinus).</translation>
</message>
<message>
<source>Hollow: words of the vocabulary whose vectors point in a similar direction (cosine).</source>
<translation>Hohl: Wörter des Vokabulars, deren Vektoren in eine ähnliche Richtung zeigen (Kosinus).</translation>
</message>
<message>
<source>Hover over a square for its value; click it to pin its row. Zoom with the wheel, drag to move.</source>
<translation>Auf ein Quadrat zeigen: sein Wert. Klicken: die Zeile bleibt gewählt. Mausrad: Zoom. Ziehen: verschieben.</translation>
</message>
<message>
<source>How alike are any two tokens?</source>
<translation>Wie ähnlich sind zwei beliebige Token?</translation>
</message>
<message>
<source>How alike two layers are: rows are layers now, columns those of the baseline</source>
<translation>Wie ähnlich sich zwei Schichten sind: Zeilen sind Schichten jetzt, Spalten die der Baseline</translation>
</message>
<message>
<source>How alike two layers place the tokens: 1 is the same, 0 unrelated.</source>
<translation>Wie ähnlich zwei Schichten die Token anordnen: 1 ist gleich, 0 ohne Bezug.</translation>
</message>
<message>
<source>How alike two vectors are: 1 is the same direction, 0 unrelated, −1 opposed.</source>
<translation>Wie ähnlich sich zwei Vektoren sind: 1 ist dieselbe Richtung, 0 ohne Bezug, −1 entgegengesetzt.</translation>
</message>
<message>
<source>How differently two heads look: 0 is exactly alike.</source>
<translation>Wie verschieden zwei Köpfe schauen: 0 ist genau gleich.</translation>
</message>
<message>
<source>How each run learned</source>
<translation>Wie jeder Lauf lernte</translation>
</message>
<message>
<source>How each step changed the loss on its own batch</source>
<translation>Wie jeder Schritt den Loss seines eigenen Batches geändert hat</translation>
</message>
<message>
<source>How each token changes from layer to layer</source>
<translation>Wie sich jedes Token von Schicht zu Schicht ändert</translation>
</message>
<message>
<source>How far a step moves the weights</source>
<translation>Wie weit ein Schritt die Gewichte bewegt</translation>
</message>
<message>
<source>How far each head moved: rows are layers, columns are heads</source>
<translation>Wie weit sich jeder Kopf bewegt hat: Zeilen sind Schichten, Spalten sind Köpfe</translation>
</message>
<message>
<source>How far each part moved: rows are layers, columns are parts</source>
<translation>Wie weit sich jeder Teil bewegt hat: Zeilen sind Schichten, Spalten sind Teile</translation>
</message>
<message>
<source>How far each part moves in a step</source>
<translation>Wie weit sich jeder Teil in einem Schritt bewegt</translation>
</message>
<message>
<source>How far each part of the model moves in a step</source>
<translation>Wie weit sich jeder Teil des Modells in einem Schritt bewegt</translation>
</message>
<message>
<source>How far each step moves the weights, as planned. Too high, and the loss jumps or grows.</source>
<translation>Wie weit jeder Schritt die Gewichte bewegt, so wie geplant. Ist sie zu hoch, springt oder wächst der Loss.</translation>
</message>
<message>
<source>How far each step moves the weights. Too high, and the loss jumps or grows.</source>
<translation>Wie weit jeder Schritt die Gewichte bewegt. Ist sie zu hoch, springt oder wächst der Loss.</translation>
</message>
<message>
<source>How far each token is from the baseline: rows are tokens, columns are layers</source>
<translation>Wie weit jedes Token von der Baseline entfernt ist: Zeilen sind Token, Spalten sind Schichten</translation>
</message>
<message>
<source>How far the answer moves towards that of the other text when this one place is swapped: 0 not at all, 1 all the way.</source>
<translation>Wie weit sich die Antwort zu der des anderen Textes bewegt, wenn diese eine Stelle ausgetauscht wird: 0 gar nicht, 1 ganz.</translation>
</message>
<message>
<source>How far the embedding of a word moved: 0 is not at all.</source>
<translation>Wie weit sich das Embedding eines Wortes bewegt hat: 0 ist gar nicht.</translation>
</message>
<message>
<source>How far the model has learned</source>
<translation>Wie weit das Modell gelernt hat</translation>
</message>
<message>
<source>How far the parts outside the layers moved</source>
<translation>Wie weit sich die Teile außerhalb der Schichten bewegt haben</translation>
</message>
<message>
<source>How far this step moved each part of the model</source>
<translation>Wie weit dieser Schritt jeden Teil des Modells bewegt hat</translation>
</message>
<message>
<source>How far training moved the weights of a part: 0% is unchanged.</source>
<translation>Wie weit das Training die Gewichte eines Teils bewegt hat: 0 % ist unverändert.</translation>
</message>
<message>
<source>How far two vectors point apart: 0 is the same direction, 1 unrelated.</source>
<translation>Wie weit zwei Vektoren auseinander zeigen: 0 ist dieselbe Richtung, 1 ohne Bezug.</translation>
</message>
<message>
<source>How fast is it here?</source>
<translation>Wie schnell ist es hier?</translation>
</message>
<message>
<source>How few are enough?</source>
<translation>Wie wenige genügen?</translation>
</message>
<message>
<source>How hard a batch pulls on the weights. Steady is good. Does the loss rise after a peak? Try a lower learning rate.</source>
<translation>Wie stark ein Batch an den Gewichten zieht. Gleichmäßig ist gut. Steigt der Loss nach einer Spitze? Dann eine kleinere Lernrate versuchen.</translation>
</message>
<message>
<source>How hard the word is to guess: 0 is certain, 1 a coin toss, 10 hardly ever.</source>
<translation>Wie schwer das Wort zu raten ist: 0 ist sicher, 1 ein Münzwurf, 10 fast nie.</translation>
</message>
<message>
<source>How it ended</source>
<translation>Wie es ausging</translation>
</message>
<message>
<source>How it was computed</source>
<translation>Wie sie berechnet wurde</translation>
</message>
<message>
<source>How likely is this word at the first [MASK] of each text?</source>
<translation>Wie wahrscheinlich ist dieses Wort beim ersten [MASK] jedes Textes?</translation>
</message>
<message>
<source>How likely the model finds each ending; together they make 100%. Write one that fools it.</source>
<translation>Wie wahrscheinlich das Modell jeden Schluss findet; zusammen ergeben sie 100 %. Einen schreiben, der es täuscht.</translation>
</message>
<message>
<source>How likely this word is after each layer. Green: no word is likelier.</source>
<translation>Wie wahrscheinlich dieses Wort nach jeder Schicht ist. Grün: Kein Wort ist wahrscheinlicher.</translation>
</message>
<message>
<source>How long</source>
<translation>Wie lange</translation>
</message>
<message>
<source>How long each vector is, and how much of the sum it makes up. Vectors add like arrows, so their lengths do not.</source>
<translation>Wie lang jeder Vektor ist und wie viel der Summe er ausmacht. Vektoren addieren sich wie Pfeile, ihre Längen also nicht.</translation>
</message>
<message>
<source>How long to train</source>
<translation>Wie lange trainiert wird</translation>
</message>
<message>
<source>How long, in epochs</source>
<translation>Wie lange, in Epochen</translation>
</message>
<message>
<source>How long, in minutes</source>
<translation>Wie lange, in Minuten</translation>
</message>
<message>
<source>How long, in steps</source>
<translation>Wie lange, in Schritten</translation>
</message>
<message>
<source>How many clusters</source>
<translation>Wie viele Cluster</translation>
</message>
<message>
<source>How many different tokens it learns at most; rare words are split.</source>
<translation>Wie viele verschiedene Tokens es höchstens lernt; seltene Wörter werden zerlegt.</translation>
</message>
<message>
<source>How many heads does the model need? Take them out, the least important first, and see when it gets worse; and is it right as often as it is sure?</source>
<translation>Wie viele Köpfe braucht das Modell? Sie wegnehmen, die unwichtigsten zuerst, und sehen, wann es schlechter wird. Und ist es so oft richtig, wie es sicher ist?</translation>
</message>
<message>
<source>How many numbers stand for a token between two layers.</source>
<translation>Wie viele Zahlen zwischen zwei Schichten für ein Token stehen.</translation>
</message>
<message>
<source>How many of the strongest contexts of each are one word</source>
<translation>Wie viele der stärksten Kontexte bei jedem ein Wort sind</translation>
</message>
<message>
<source>How many processor cores the training uses, on average.</source>
<translation>Wie viele Prozessorkerne das Training im Mittel benutzt.</translation>
</message>
<message>
<source>How many stand for one word?</source>
<translation>Wie viele stehen für ein Wort?</translation>
</message>
<message>
<source>How many texts each step learns from at once.</source>
<translation>Aus wie vielen Texten jeder Schritt auf einmal lernt.</translation>
</message>
<message>
<source>How many tokens away it looks, on average.</source>
<translation>Wie viele Token weit er schaut, im Mittel.</translation>
</message>
<message>
<source>How many tokens have which activation. One step up is ten times as many: 3 means 1,000.</source>
<translation>Wie viele Token welche Aktivierung haben. Eine Stufe höher sind es zehnmal so viele: 3 heißt 1.000.</translation>
</message>
<message>
<source>How many tokens it learns from in a second.</source>
<translation>Aus wie vielen Token es in einer Sekunde lernt.</translation>
</message>
<message>
<source>How many tokens, from the selected one on</source>
<translation>Wie viele Token, ab dem gewählten</translation>
</message>
<message>
<source>How much a step changes the weights, as a share of their length. Healthy runs stay below the dashed line, {limit}.</source>
<translation>Wie viel ein Schritt die Gewichte verändert, als Anteil ihrer Länge. Gesunde Läufe bleiben unter der gestrichelten Linie, {limit}.</translation>
</message>
<message>
<source>How much does each token differ?</source>
<translation>Wie sehr unterscheidet sich jedes Token?</translation>
</message>
<message>
<source>How much each layer adds</source>
<translation>Wie viel jede Schicht hinzufügt</translation>
</message>
<message>
<source>How much each part changed, in percent of what it was before</source>
<translation>Wie stark sich jeder Teil verändert hat, in Prozent von vorher</translation>
</message>
<message>
<source>How much each word adds to the answer</source>
<translation>Wie viel jedes Wort zur Antwort beiträgt</translation>
</message>
<message>
<source>How much higher the loss is where only this one is taken out. They go in this order.</source>
<translation>Wie viel höher der Loss ist, wenn nur dieser Teil fehlt. In dieser Reihenfolge fallen sie weg.</translation>
</message>
<message>
<source>How much higher the loss is without it</source>
<translation>Wie viel höher der Loss ohne ihn ist</translation>
</message>
<message>
<source>How much it fires</source>
<translation>Wie stark es feuert</translation>
</message>
<message>
<source>How much more likely the answer becomes if this one weight grows a little.</source>
<translation>Wie viel wahrscheinlicher die Antwort wird, wenn dieses eine Gewicht ein wenig wächst.</translation>
</message>
<message>
<source>How much more surprising the wrong sentence is: above 0, the model prefers the right one.</source>
<translation>Um wie viel überraschender der falsche Satz ist: über 0 bevorzugt das Modell den richtigen.</translation>
</message>
<message>
<source>How much of a token comes from each word, by attention alone; a row makes 1.</source>
<translation>Wie viel von einem Token aus jedem Wort kommt, allein durch Attention; eine Zeile ergibt 1.</translation>
</message>
<message>
<source>How much of the difference between the two texts is lost when this part alone gives its output on the other text: 0 none, 1 all.</source>
<translation>Welcher Anteil des Unterschieds zwischen beiden Texten verloren geht, wenn nur dieser Teil seine Ausgabe beim anderen Text gibt: 0 nichts, 1 alles.</translation>
</message>
<message>
<source>How much the neuron adds to the score of this word when it fires.</source>
<translation>Wie viel das Neuron zum Wert dieses Wortes addiert, wenn es feuert.</translation>
</message>
<message>
<source>How much this word adds to the answer: +1 makes it 2.7 times as likely.</source>
<translation>Wie viel dieses Wort zur Antwort beiträgt: +1 macht sie 2,7-mal so wahrscheinlich.</translation>
</message>
<message>
<source>How much {row} looks at {column}</source>
<translation>Wie stark {row} auf {column} schaut</translation>
</message>
<message>
<source>How near the word is: by direction (1 is the same) or distance (0 is).</source>
<translation>Wie nah das Wort ist: nach Richtung (1 ist dieselbe) oder Abstand (0 ist gleich).</translation>
</message>
<message>
<source>How often each label occurs</source>
<translation>Wie oft jedes Label vorkommt</translation>
</message>
<message>
<source>How often each word is among the 50 nearest uses</source>
<translation>Wie oft jedes Wort unter den 50 nächsten Verwendungen ist</translation>
</message>
<message>
<source>How often its first guess is the word behind the mask.</source>
<translation>Wie oft der erste Tipp das Wort hinter der Maske ist.</translation>
</message>
<message>
<source>How often tiny models find the original token, by how they were trained</source>
<translation>Wie oft winzige Modelle das ursprüngliche Token finden, je nach ihrem Training</translation>
</message>
<message>
<source>How similar are A and B?</source>
<translation>Wie ähnlich sind A und B?</translation>
</message>
<message>
<source>How similar are its uses?</source>
<translation>Wie ähnlich sind seine Verwendungen?</translation>
</message>
<message>
<source>How similar are the tokens?</source>
<translation>Wie ähnlich sind die Token?</translation>
</message>
<message>
<source>How similar are two sentences, 0 to 5? (STS-B)</source>
<translation>Wie ähnlich sind zwei Sätze, 0 bis 5? (STS-B)</translation>
</message>
<message>
<source>How strongly the neuron fires for this token; around 0 it is silent.</source>
<translation>Wie stark das Neuron bei diesem Token feuert; um 0 herum schweigt es.</translation>
</message>
<message>
<source>How sure</source>
<translation>Wie sicher</translation>
</message>
<message>
<source>How sure the model is of each class; together they make 100%. Change one word: does the answer change?</source>
<translation>Wie sicher sich das Modell bei jeder Klasse ist; zusammen ergeben sie 100 %. Ein Wort ändern: Ändert sich die Antwort?</translation>
</message>
<message>
<source>How surprising is each word?</source>
<translation>Wie überraschend ist jedes Wort?</translation>
</message>
<message>
<source>How the file is laid out.</source>
<translation>Wie die Datei aufgebaut ist.</translation>
</message>
<message>
<source>How the first documents begin</source>
<translation>Wie die ersten Dokumente anfangen</translation>
</message>
<message>
<source>How the input vector of each token is put together</source>
<translation>Wie der Eingabevektor jedes Tokens entsteht</translation>
</message>
<message>
<source>How the input vectors add up</source>
<translation>Wie die Eingabevektoren entstehen</translation>
</message>
<message>
<source>How this number was computed</source>
<translation>Wie diese Zahl berechnet wurde</translation>
</message>
<message>
<source>How well clusters and labels match</source>
<translation>Wie gut Cluster und Labels passen</translation>
</message>
<message>
<source>How well it does</source>
<translation>Wie gut es geht</translation>
</message>
<message>
<source>How well it does on held-out examples</source>
<translation>Wie gut es auf ungesehenen Beispielen ist</translation>
</message>
<message>
<source>How well the whole text fits: each token is hidden in turn. Nearer to 0 is better; longer texts score lower.</source>
<translation>Wie gut der ganze Text passt: Jedes Token wird einmal verdeckt. Näher an 0 ist besser; längere Texte haben niedrigere Werte.</translation>
</message>
<message>
<source>How wrong the model is: its mean surprise at the right answers; lower is better.</source>
<translation>Wie falsch das Modell liegt: seine mittlere Überraschung über die richtigen Antworten; niedriger ist besser.</translation>
</message>
<message>
<source>Idea</source>
<translation>Idee</translation>
</message>
<message>
<source>If it had to be surer</source>
<translation>Wenn es sicherer sein müsste</translation>
</message>
<message>
<source>If the folder has a dev file, that is held out; otherwise a tenth of the examples is.</source>
<translation>Enthält der Ordner eine Dev-Datei, dient sie als ungesehener Text, sonst ein Zehntel der Beispiele.</translation>
</message>
<message numerus="yes">
<source>In %Ln other sentence(s) the same parts keep {low} of the difference.</source>
<translation>
<numerusform>In %Ln anderen Satz bleiben mit denselben Teilen {low} des Unterschieds.</numerusform>
<numerusform>In %Ln anderen Sätzen bleiben mit denselben Teilen {low} des Unterschieds.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>In %Ln other sentence(s) the same parts keep {low} to {high} of the difference.</source>
<translation>
<numerusform>In %Ln anderen Satz bleiben mit denselben Teilen {low} bis {high} des Unterschieds.</numerusform>
<numerusform>In %Ln anderen Sätzen bleiben mit denselben Teilen {low} bis {high} des Unterschieds.</numerusform>
</translation>
</message>
<message>
<source>In all {size} numbers, of which this map shows a part, “{token}” is most like “{first}” at the start and “{last}” at the end.</source>
<translation>In allen {size} Zahlen, von denen diese Karte einen Teil zeigt, ist „{token}“ am Anfang „{first}“ am ähnlichsten und am Ende „{last}“.</translation>
</message>
<message>
<source>In an open step, a row is a token and a column one of its numbers (dimensions), counted from 0. Stronger colour: farther from 0.</source>
<translation>In einem offenen Schritt ist eine Zeile ein Token, eine Spalte eine seiner Zahlen (Dimensionen), ab 0 gezählt. Kräftigere Farbe: weiter weg von 0.</translation>
</message>
<message>
<source>In attn(…): a word, A, B, special, any, or #position. Also: spread &lt; 2 or distance &gt; 4 (in tokens), special &gt; 0.5, or a kind such as previous token. Join several with “and”.</source>
<translation>In attn(…): ein Wort, A, B, special, any oder #Position. Auch: spread &lt; 2 oder distance &gt; 4 (in Token), special &gt; 0.5 oder eine Art wie „vorheriges Token“. Mehrere mit „and“ verbinden.</translation>
</message>
<message>
<source>In every draw the same words are chosen.</source>
<translation>Jedes Mal werden dieselben Wörter ausgewählt.</translation>
</message>
<message>
<source>In every layer each token sees itself and what stands after it</source>
<translation>In jeder Schicht sieht jedes Token sich selbst und was nach ihm steht</translation>
</message>
<message>
<source>In every layer each token sees itself and what stands before it</source>
<translation>In jeder Schicht sieht jedes Token sich selbst und was vor ihm steht</translation>
</message>
<message>
<source>In how many of all cases the head looks most at the right word.</source>
<translation>In wie vielen aller Fälle der Kopf am stärksten auf das richtige Wort schaut.</translation>
</message>
<message>
<source>In other sentences</source>
<translation>In anderen Sätzen</translation>
</message>
<message>
<source>In the paper (Devlin et al. 2019) it hardly matters after fine-tuning: on MNLI, a test of understanding, 84.2% are right with 80 / 10 / 10 and 84.3% with [MASK] alone. It matters a little where BERT is only read and not fine-tuned: names are found from its states with an F1 of 94.9 and 94.0, of 100.</source>
<translation>Im Paper (Devlin et al. 2019) macht es nach dem Feintuning kaum etwas aus: Bei MNLI, einem Test des Verstehens, sind mit 80 / 10 / 10 84,2 % richtig und mit [MASK] allein 84,3 %. Etwas macht es aus, wo BERT ohne Feintuning nur seine Hidden States liefert: Namen werden daraus mit einem F1 von 94,9 bzw. 94,0 (von 100) gefunden.</translation>
</message>
<message>
<source>In this model LayerNorm comes before each half of a layer.</source>
<translation>In diesem Modell kommt LayerNorm vor jeder Hälfte einer Schicht.</translation>
</message>
<message>
<source>In this step it guesses each next word from the words before it. Bar under a token: how wrong its guess of the next one was.</source>
<translation>In diesem Schritt rät es jedes nächste Wort aus den Wörtern davor. Balken unter einem Token: wie falsch es das nächste geraten hat.</translation>
</message>
<message>
<source>In this world:</source>
<translation>In dieser Welt:</translation>
</message>
<message>
<source>Input of “{token}”</source>
<translation>Eingabe von „{token}“</translation>
</message>
<message>
<source>Insert into the text</source>
<translation>In den Text einsetzen</translation>
</message>
<message>
<source>Insert “{word}”</source>
<translation>„{word}“ einsetzen</translation>
</message>
<message>
<source>Integrated gradients</source>
<translation>Integrierte Gradienten</translation>
</message>
<message>
<source>Integrated gradients: share of each token</source>
<translation>Integrierte Gradienten: Anteil jedes Tokens</translation>
</message>
<message>
<source>Is B the next sentence?</source>
<translation>Ist B der nächste Satz?</translation>
</message>
<message>
<source>Is a sentence positive or negative? It learned from film reviews.</source>
<translation>Ist ein Satz positiv oder negativ? Gelernt hat es aus Filmkritiken.</translation>
</message>
<message>
<source>Is it right as often as it is sure?</source>
<translation>Liegt es so oft richtig, wie es sicher ist?</translation>
</message>
<message>
<source>Is the model right for the right reason? Red words support its answer, blue ones work against it. Trust what the cards agree on.</source>
<translation>Hat das Modell aus dem richtigen Grund recht? Rote Wörter stützen seine Antwort, blaue wirken dagegen. Verlassen kann man sich auf das, worin die Karten übereinstimmen.</translation>
</message>
<message>
<source>Is the sentence acceptable English? (CoLA)</source>
<translation>Ist der Satz korrektes Englisch? (CoLA)</translation>
</message>
<message>
<source>Is this normal?</source>
<translation>Ist das normal?</translation>
</message>
<message>
<source>It answers “{label}” to {share} of the held-out examples, although that is right for only {right}.</source>
<translation>Es antwortet auf {share} der ungesehenen Beispiele „{label}“, obwohl das nur bei {right} richtig ist.</translation>
</message>
<message>
<source>It begins with “{letter}”.</source>
<translation>Es beginnt mit „{letter}“.</translation>
</message>
<message>
<source>It can be opened already: all pictures, from Map to Layers, then show it as it is now.</source>
<translation>Es lässt sich schon öffnen: Alle Bilder, von Überblick bis Schichten, zeigen es dann, wie es jetzt ist.</translation>
</message>
<message>
<source>It cannot write, only copy from the passage. Ask something that is not in there.</source>
<translation>Es kann nicht schreiben, nur aus dem Text kopieren. Etwas fragen, das nicht darin steht!</translation>
</message>
<message>
<source>It changes what it is given; begin with a copy, {value} = {value}.copy()</source>
<translation>Es verändert, was es bekommt; mit einer Kopie beginnen, {value} = {value}.copy()</translation>
</message>
<message>
<source>It chooses from: {labels}</source>
<translation>Zur Auswahl stehen: {labels}</translation>
</message>
<message>
<source>It did not end within {seconds} seconds: is there a loop without an end?</source>
<translation>Es war nach {seconds} Sekunden nicht fertig: Gibt es eine Schleife ohne Ende?</translation>
</message>
<message>
<source>It does better on every task of the paper, most of all on those with little data.</source>
<translation>Es ist in jeder Aufgabe des Artikels besser, am meisten in denen mit wenig Daten.</translation>
</message>
<message>
<source>It ended at step {step}: {now} of {all} questions right, {before} at the start.</source>
<translation>Beendet bei Schritt {step}: {now} von {all} Fragen richtig, am Anfang {before}.</translation>
</message>
<message>
<source>It ended the whole process, by itself or for lack of memory.</source>
<translation>Es hat den ganzen Prozess beendet, von selbst oder weil der Speicher nicht reichte.</translation>
</message>
<message>
<source>It ended without saying why.</source>
<translation>Der Lauf endete, ohne zu sagen, warum.</translation>
</message>
<message>
<source>It ends with an error: {why}</source>
<translation>Es endet mit einem Fehler: {why}</translation>
</message>
<message>
<source>It finds other places with the same word.</source>
<translation>Er findet andere Stellen mit demselben Wort.</translation>
</message>
<message>
<source>It finds the same word in the other sentence.</source>
<translation>Er findet dasselbe Wort im anderen Satz.</translation>
</message>
<message>
<source>It hardly moves: at most {most} in a step. Try ten times the learning rate.</source>
<translation>Es bewegt sich kaum: höchstens {most} in einem Schritt. Die zehnfache Lernrate versuchen.</translation>
</message>
<message>
<source>It has hardly learned: its held-out loss was {start} at the start and is {loss} now.</source>
<translation>Es hat kaum gelernt: Der Loss auf ungesehenem Text war am Anfang {start} und ist jetzt {loss}.</translation>
</message>
<message>
<source>It has no single habit in this text.</source>
<translation>Er hat in diesem Text keine bestimmte Gewohnheit.</translation>
</message>
<message>
<source>It has not learned to use the text: giving the same answer every time takes no reading.</source>
<translation>Es hat nicht gelernt, den Text zu nutzen: Um immer dasselbe zu antworten, muss man nicht lesen.</translation>
</message>
<message>
<source>It has read the same text too often. More text or more examples would help most, fewer steps a little.</source>
<translation>Es hat denselben Text zu oft gelesen. Am meisten würden mehr Text oder mehr Beispiele helfen, ein wenig auch weniger Schritte.</translation>
</message>
<message>
<source>It has {share} of BERT-base’s parameters.</source>
<translation>Es hat {share} der Parameter von BERT-base.</translation>
</message>
<message>
<source>It is memorising its training text and getting worse on text that it has not seen.</source>
<translation>Es lernt den Trainingstext auswendig und wird auf Text, den es nicht gesehen hat, schlechter.</translation>
</message>
<message>
<source>It is on a plateau: its held-out loss is {loss}; guessing by word frequency alone would give {by_frequency}.</source>
<translation>Es ist auf einem Plateau: Der Loss auf ungesehenem Text ist {loss}; Raten allein nach Worthäufigkeit ergäbe {by_frequency}.</translation>
</message>
<message>
<source>It is on a plateau: its held-out loss was {before} at step {step} and is {loss} now.</source>
<translation>Es ist auf einem Plateau: Der Loss auf ungesehenem Text war bei Schritt {step} {before} und ist jetzt {loss}.</translation>
</message>
<message>
<source>It is overfitting: its held-out loss was best at step {step} ({best}) and is {last} now, while the training loss keeps falling.</source>
<translation>Es lernt auswendig (Overfitting): Der Loss auf ungesehenem Text war bei Schritt {step} am besten ({best}) und ist jetzt {last}, während der Trainings-Loss weiter fällt.</translation>
</message>
<message>
<source>It judges every token to be original.</source>
<translation>Es hält jedes Token für echt.</translation>
</message>
<message>
<source>It judges for every token whether a small generator has replaced it; narrow embeddings</source>
<translation>Es beurteilt bei jedem Token, ob ein kleiner Generator es ersetzt hat; schmale Embeddings</translation>
</message>
<message>
<source>It judges {number} of {count} tokens to be replaced: {tokens}</source>
<translation>Es hält {number} von {count} Token für ersetzt: {tokens}</translation>
</message>
<message>
<source>It knows which words are frequent, but does not use context yet.</source>
<translation>Es weiß, welche Wörter häufig sind, nutzt aber noch keinen Kontext.</translation>
</message>
<message>
<source>It learns from all tokens, not from the masked 15% alone. In BERT’s own shape one sees what that is worth.</source>
<translation>Es lernt aus allen Token und nicht nur aus den maskierten 15 %. In BERTs eigener Form sieht man, was das bringt.</translation>
</message>
<message>
<source>It learns from all tokens, not from the masked 15% alone: more from the same text. This one was made to be trained on one GPU.</source>
<translation>Es lernt aus allen Token und nicht nur aus den maskierten 15 %: mehr aus demselben Text. Dieses ist dafür gemacht, auf einer GPU trainiert zu werden.</translation>
</message>
<message>
<source>It learns how two texts relate: do they say the same thing?</source>
<translation>Es lernt, wie zwei Texte zusammenhängen: Sagen sie dasselbe?</translation>
</message>
<message>
<source>It learns to choose the best of several endings.</source>
<translation>Es lernt, den besten von mehreren Schlüssen zu wählen.</translation>
</message>
<message>
<source>It learns to find the answer to a question in a passage.</source>
<translation>Es lernt, die Antwort auf eine Frage in einem Text zu finden.</translation>
</message>
<message>
<source>It learns to label each word: which is a person, which is a place.</source>
<translation>Es lernt, jedes Wort zu benennen: Was ist eine Person, was ein Ort?</translation>
</message>
<message>
<source>It learns to pick the sentences that sum up a text.</source>
<translation>Es lernt, die Sätze auszuwählen, die einen Text zusammenfassen.</translation>
</message>
<message>
<source>It learns to score how similar two texts are.</source>
<translation>Es lernt zu bewerten, wie ähnlich sich zwei Texte sind.</translation>
</message>
<message>
<source>It learns to sort texts into classes: good or bad, right or wrong.</source>
<translation>Es lernt, Texte in Klassen zu ordnen: gut oder schlecht, richtig oder falsch.</translation>
</message>
<message>
<source>It may not do this here ({value}): an exercise writes no files, starts nothing, connects to nothing.</source>
<translation>Das darf es hier nicht ({value}): Eine Aufgabe schreibt keine Dateien, startet nichts und stellt keine Verbindung her.</translation>
</message>
<message>
<source>It needs little memory for weights. It is not faster: every layer is computed all the same.</source>
<translation>Die Gewichte brauchen wenig Speicher. Schneller ist es nicht: Gerechnet wird jede Schicht trotzdem.</translation>
</message>
<message>
<source>It only memorises: its training loss is {train}, but its held-out loss is {loss}, no better than at the start ({start}).</source>
<translation>Es lernt nur auswendig: Der Trainings-Loss ist {train}, aber der Loss auf ungesehenem Text {loss}, nicht besser als am Anfang ({start}).</translation>
</message>
<message>
<source>It opens at once and answers at every key. It is trained, and ships with BERTscope.</source>
<translation>Es öffnet sich sofort und antwortet bei jedem Tastendruck. Es ist trainiert und in BERTscope enthalten.</translation>
</message>
<message numerus="yes">
<source>It prefers the right sentence in {share} of %n pair(s); chance: 50%.</source>
<translation>
<numerusform>Bei {share} von %n Paar bevorzugt es den richtigen Satz; Zufall: 50 %.</numerusform>
<numerusform>Bei {share} von %n Paaren bevorzugt es den richtigen Satz; Zufall: 50 %.</numerusform>
</translation>
</message>
<message>
<source>It reads A and B.</source>
<translation>Es liest A und B.</translation>
</message>
<message>
<source>It reads A and ignores B.</source>
<translation>Es liest A und lässt B außer Acht.</translation>
</message>
<message>
<source>It reads A, and B if there is one.</source>
<translation>Es liest A, und B, wenn es eines gibt.</translation>
</message>
<message>
<source>It reads the data {times} times.</source>
<translation>Es liest die Daten {times}-mal.</translation>
</message>
<message>
<source>It reads the text on the left and ignores A and B.</source>
<translation>Es liest den Text links und lässt A und B außer Acht.</translation>
</message>
<message>
<source>It returns an array of shape {shape}; it should be {wanted}.</source>
<translation>Das Ergebnis hat die Form {shape}; sie sollte {wanted} sein.</translation>
</message>
<message>
<source>It returns an array of shape {value}, which is far too large.</source>
<translation>Das Ergebnis hat die Form {value}, viel zu groß.</translation>
</message>
<message>
<source>It returns no array of numbers: is `return` missing?</source>
<translation>Das Ergebnis ist kein Array von Zahlen: Fehlt `return`?</translation>
</message>
<message>
<source>It tags no words in this text.</source>
<translation>In diesem Text taggt es kein Wort.</translation>
</message>
<message>
<source>It takes longer if other programs keep the machine busy.</source>
<translation>Es dauert länger, wenn andere Programme den Rechner beschäftigen.</translation>
</message>
<message>
<source>It turns a sentence into one vector: on the right you see how similar A and B are.</source>
<translation>Es macht aus einem Satz einen Vektor: Rechts ist zu sehen, wie ähnlich sich A und B sind.</translation>
</message>
<message>
<source>It was fine-tuned on pairs of texts: type the second one in B.</source>
<translation>Es wurde an Textpaaren feingetunt: den zweiten Text in B eintippen.</translation>
</message>
<message>
<source>It was trained on numbers from {low} to {high}.</source>
<translation>Es wurde an Zahlen von {low} bis {high} trainiert.</translation>
</message>
<message>
<source>It was “{word}”. Both score {points}.</source>
<translation>Es war „{word}“. Beide Seiten bekommen Punkte: je {points}.</translation>
</message>
<message>
<source>It was “{word}”. Neither of them found it.</source>
<translation>Es war „{word}“. Keine Seite hat es gefunden.</translation>
</message>
<message>
<source>It was “{word}”. This one goes to the class.</source>
<translation>Es war „{word}“. Das geht an die Klasse.</translation>
</message>
<message>
<source>It was “{word}”. This one goes to the model.</source>
<translation>Es war „{word}“. Das geht an das Modell.</translation>
</message>
<message>
<source>Its attention</source>
<translation>Seine Attention</translation>
</message>
<message>
<source>Its best guesses; the longer the bar, the likelier. Click one to insert it.</source>
<translation>Seine besten Tipps; je länger der Balken, desto wahrscheinlicher. Ein Klick setzt einen ein.</translation>
</message>
<message>
<source>Its best was {best}, at step {step}.</source>
<translation>Am besten war {best}, bei Schritt {step}.</translation>
</message>
<message>
<source>Its cosine with the baseline’s line is {cosine}.</source>
<translation>Ihr Kosinus mit der Linie im Vergleich ist {cosine}.</translation>
</message>
<message>
<source>Its embeddings added up, number by number; the first of {width}: {terms} ≈ {total}.</source>
<translation>Seine Embeddings, Zahl für Zahl addiert; die erste von {width}: {terms} ≈ {total}.</translation>
</message>
<message>
<source>Its lowest loss was {best}, at step {step}.</source>
<translation>Der niedrigste Loss war {best}, bei Schritt {step}.</translation>
</message>
<message>
<source>Its meanings do not separate: at no layer are uses with the same meaning more alike than uses with different ones.</source>
<translation>Seine Bedeutungen trennen sich nicht: In keiner Schicht sind sich Verwendungen mit gleicher Bedeutung ähnlicher als die mit verschiedener.</translation>
</message>
<message>
<source>Its probability</source>
<translation>Seine Wahrscheinlichkeit</translation>
</message>
<message>
<source>Its probability:</source>
<translation>Ihre Wahrscheinlichkeit:</translation>
</message>
<message>
<source>Its published weights are not here. It opens with random weights in this shape, so its answers are noise; with the built-in vocabulary ({rows} rows in the token table, not {own}), in {memory} of memory.</source>
<translation>Die veröffentlichten Gewichte gibt es hier nicht. Geöffnet wird diese Form mit zufälligen Gewichten, die Antworten sind also Rauschen; mit dem mitgelieferten Vokabular ({rows} Zeilen in der Token-Tabelle statt {own}), in {memory} Arbeitsspeicher.</translation>
</message>
<message>
<source>Its query: {dims} numbers that say what “{token}” looks for in head {head}.</source>
<translation>Seine Query: {dims} Zahlen, die sagen, wonach „{token}“ in Kopf {head} sucht.</translation>
</message>
<message>
<source>Its row in the large picture; the shares add up to 1.</source>
<translation>Seine Zeile im großen Bild; die Anteile ergeben zusammen 1.</translation>
</message>
<message>
<source>Its row in the large picture; the weights add up to 1.</source>
<translation>Seine Zeile im großen Bild; die Gewichte ergeben zusammen 1.</translation>
</message>
<message>
<source>Its row in the large picture; these numbers need not add up to 1.</source>
<translation>Seine Zeile im großen Bild; diese Zahlen müssen zusammen nicht 1 ergeben.</translation>
</message>
<message>
<source>Its score:</source>
<translation>Ihr Wert:</translation>
</message>
<message>
<source>Its summary</source>
<translation>Die Zusammenfassung</translation>
</message>
<message>
<source>Its vector, the same for every token, is part of the sum.</source>
<translation>Sein Vektor, für jedes Token derselbe, ist Teil der Summe.</translation>
</message>
<message>
<source>Its {metric} went from {before} to {after} in {steps} steps, measured on {count} held-out examples.</source>
<translation>{metric}: von {before} auf {after} in {steps} Schritten, gemessen an {count} ungesehenen Beispielen.</translation>
</message>
<message>
<source>Its {metric} went from {before} to {after} in {steps} steps. That says little: there are only {count} held-out examples.</source>
<translation>{metric}: von {before} auf {after} in {steps} Schritten. Das sagt wenig: Es gibt nur {count} ungesehene Beispiele.</translation>
</message>
<message>
<source>Jensen–Shannon divergence</source>
<translation>Jensen-Shannon-Divergenz</translation>
</message>
<message>
<source>Keep training…</source>
<translation>Weitertrainieren …</translation>
</message>
<message>
<source>Key</source>
<translation>Key</translation>
</message>
<message>
<source>Kinds</source>
<translation>Arten</translation>
</message>
<message>
<source>Kinds of heads in this text</source>
<translation>Arten von Köpfen in diesem Text</translation>
</message>
<message>
<source>Lab sheet</source>
<translation>Arbeitsblatt</translation>
</message>
<message>
<source>Lab sheet, with answers</source>
<translation>Arbeitsblatt, mit Lösungen</translation>
</message>
<message>
<source>Label</source>
<translation>Label</translation>
</message>
<message>
<source>Labelled examples</source>
<translation>Beispiele mit Lösung</translation>
</message>
<message>
<source>Labelled examples (*.tsv *.csv *.json *.jsonl *.conll *.txt *.gz *.xz);;All files (*)</source>
<translation>Beispiele mit Labels (*.tsv *.csv *.json *.jsonl *.conll *.txt *.gz *.xz);;Alle Dateien (*)</translation>
</message>
<message>
<source>Labels</source>
<translation>Labels</translation>
</message>
<message numerus="yes">
<source>Labels, and %n more</source>
<translation>
<numerusform>Labels, und %n weiteres</numerusform>
<numerusform>Labels, und %n weitere</numerusform>
</translation>
</message>
<message>
<source>Language: {language}</source>
<translation>Sprache: {language}</translation>
</message>
<message>
<source>Larger text, for a projector</source>
<translation>Größere Schrift, für einen Beamer</translation>
</message>
<message>
<source>Layer</source>
<translation>Schicht</translation>
</message>
<message>
<source>Layer (the arrow keys change it)</source>
<translation>Schicht (mit den Pfeiltasten änderbar)</translation>
</message>
<message>
<source>Layer by layer</source>
<translation>Schicht für Schicht</translation>
</message>
<message>
<source>Layer {layer}</source>
<translation>Schicht {layer}</translation>
</message>
<message>
<source>Layer {layer} is skipped, so this head has no effect.</source>
<translation>Schicht {layer} wird übersprungen, also hat dieser Kopf keine Wirkung.</translation>
</message>
<message>
<source>Layer {layer} · Attention is added</source>
<translation>Schicht {layer} · Attention wird addiert</translation>
</message>
<message>
<source>Layer {layer} · Feed-forward</source>
<translation>Schicht {layer} · Feed-Forward</translation>
</message>
<message>
<source>Layer {layer} · Feed-forward is added</source>
<translation>Schicht {layer} · Feed-Forward wird addiert</translation>
</message>
<message>
<source>Layer {layer} · Head {head}</source>
<translation>Schicht {layer} · Kopf {head}</translation>
</message>
<message>
<source>Layer {layer} · Neuron {neuron}</source>
<translation>Schicht {layer} · Neuron {neuron}</translation>
</message>
<message>
<source>Layer {layer}, head {head}</source>
<translation>Schicht {layer}, Kopf {head}</translation>
</message>
<message>
<source>Layer {layer}, step by step</source>
<translation>Schicht {layer}, Schritt für Schritt</translation>
</message>
<message>
<source>Layer {layer}: {step}</source>
<translation>Schicht {layer}: {step}</translation>
</message>
<message>
<source>Layer {number} · attention</source>
<translation>Schicht {number} · Attention</translation>
</message>
<message>
<source>Layer {number} · feed-forward</source>
<translation>Schicht {number} · Feedforward</translation>
</message>
<message>
<source>Layer {row}, head {column}: carries {value} of the difference</source>
<translation>Schicht {row}, Kopf {column}: trägt {value} des Unterschieds</translation>
</message>
<message>
<source>Layer-wise learning rate</source>
<translation>Lernrate von Schicht zu Schicht</translation>
</message>
<message>
<source>LayerNorm</source>
<translation>LayerNorm</translation>
</message>
<message>
<source>LayerNorm again. “{token}” leaves the layer changed: cosine {same} with what came in (1: unchanged).</source>
<translation>Noch einmal LayerNorm. „{token}“ verlässt die Schicht verändert: Kosinus {same} mit dem, was hereinkam (1: unverändert).</translation>
</message>
<message>
<source>LayerNorm and projection</source>
<translation>LayerNorm und Projektion</translation>
</message>
<message>
<source>LayerNorm brings the {size} numbers of “{token}” to a common size.</source>
<translation>LayerNorm bringt die {size} Zahlen von „{token}“ auf eine gemeinsame Größe.</translation>
</message>
<message>
<source>LayerNorm comes too early.</source>
<translation>Die LayerNorm kommt zu früh.</translation>
</message>
<message>
<source>LayerNorm then brings every line back to the same scale.</source>
<translation>LayerNorm bringt danach jede Linie wieder auf dieselbe Größenordnung.</translation>
</message>
<message>
<source>LayerNorms</source>
<translation>LayerNorms</translation>
</message>
<message>
<source>Layers</source>
<translation>Schichten</translation>
</message>
<message>
<source>Layers of the student</source>
<translation>Schichten des Schülers</translation>
</message>
<message>
<source>Layers × hidden size</source>
<translation>Größe: Schichten × Breite</translation>
</message>
<message>
<source>Learn from</source>
<translation>Lernen aus</translation>
</message>
<message>
<source>Learned from scratch, learned from sine waves, or fixed sine waves.</source>
<translation>Von Grund auf gelernt, von Sinuswellen aus gelernt oder feste Sinuswellen.</translation>
</message>
<message>
<source>Learning means changing numbers: each part of the model is a table of them, its weights. Which parts did training change most, and which words does the model treat differently now?</source>
<translation>Lernen heißt Zahlen ändern: Jeder Teil des Modells ist eine Tabelle davon, seine Gewichte. Welche Teile hat das Training am meisten geändert, und welche Wörter behandelt das Modell jetzt anders?</translation>
</message>
<message>
<source>Learning rate</source>
<translation>Lernrate</translation>
</message>
<message>
<source>Learning rate after the warm-up</source>
<translation>Lernrate nach dem Anlaufen</translation>
</message>
<message>
<source>Learning rate decay</source>
<translation>Abfallen der Lernrate</translation>
</message>
<message>
<source>Learning rate, gradient norm, speed, memory and processor</source>
<translation>Lernrate, Gradientennorm, Tempo, Speicher und Prozessor</translation>
</message>
<message>
<source>Learns visibly within two minutes.</source>
<translation>Lernt sichtbar innerhalb von zwei Minuten.</translation>
</message>
<message>
<source>Leave a part out of the sum</source>
<translation>Einen Teil aus der Summe weglassen</translation>
</message>
<message>
<source>Leave one out</source>
<translation>Eines weglassen</translation>
</message>
<message>
<source>Leave one out: share of each token</source>
<translation>Eines weglassen: Anteil jedes Tokens</translation>
</message>
<message>
<source>Leave out for all tokens:</source>
<translation>Bei allen Token weglassen:</translation>
</message>
<message>
<source>Leave out the positions</source>
<translation>Die Positionen weglassen</translation>
</message>
<message>
<source>Left of the arrow: the surprise {there}.</source>
<translation>Links vom Pfeil: die Überraschung {there}.</translation>
</message>
<message numerus="yes">
<source>Left out, because their settings cannot be read: %n run(s).</source>
<translation>
<numerusform>Ausgelassen, weil die Einstellungen nicht lesbar sind: %n Lauf.</numerusform>
<numerusform>Ausgelassen, weil die Einstellungen nicht lesbar sind: %n Läufe.</numerusform>
</translation>
</message>
<message>
<source>Left out: it adds nothing to the sum.</source>
<translation>Weggelassen: Es trägt nichts zur Summe bei.</translation>
</message>
<message>
<source>Left: how much it fires at each token of your text. Right: the words that it makes more likely, unless a later layer undoes it. Many neurons stand for nothing that has a name.</source>
<translation>Links: wie stark es bei jedem Token des Textes feuert. Rechts: die Wörter, die es wahrscheinlicher macht, wenn keine spätere Schicht das rückgängig macht. Viele Neuronen stehen für nichts, was einen Namen hat.</translation>
</message>
<message>
<source>Left: the token that looks. Right: what it looks at. Thicker: more. Point at a token to follow its lines.</source>
<translation>Links: das Token, das schaut. Rechts: worauf es schaut. Dicker: mehr. Auf ein Token zeigen, um seinen Linien zu folgen.</translation>
</message>
<message>
<source>Length of each part, and its share of the sum</source>
<translation>Länge jedes Teils und sein Anteil an der Summe</translation>
</message>
<message>
<source>Length of the input</source>
<translation>Länge der Eingabe</translation>
</message>
<message>
<source>Length of the summary</source>
<translation>Länge der Zusammenfassung</translation>
</message>
<message>
<source>Lengths in tokens</source>
<translation>Längen in Tokens</translation>
</message>
<message>
<source>Lesson</source>
<translation>Lektion</translation>
</message>
<message>
<source>Lessons</source>
<translation>Lektionen</translation>
</message>
<message>
<source>Lessons from {number} on</source>
<translation>Lektionen ab {number}</translation>
</message>
<message>
<source>Lessons, page by page, with tasks</source>
<translation>Lektionen, Seite für Seite, mit Aufgaben</translation>
</message>
<message>
<source>Let the run continue at full speed; slow motion does not change its result</source>
<translation>Den Lauf mit vollem Tempo fortsetzen; die Zeitlupe ändert nichts an seinem Ergebnis</translation>
</message>
<message>
<source>Licence</source>
<translation>Lizenz</translation>
</message>
<message>
<source>Light</source>
<translation>Hell</translation>
</message>
<message>
<source>Light or dark theme</source>
<translation>Hell oder dunkel</translation>
</message>
<message>
<source>Light, dark or high contrast</source>
<translation>Hell, dunkel oder hoher Kontrast</translation>
</message>
<message>
<source>Line across a bar: its value in {head}.</source>
<translation>Strich über einem Balken: sein Wert in {head}.</translation>
</message>
<message>
<source>Line across a bar: {there}.</source>
<translation>Strich über einem Balken: {there}.</translation>
</message>
<message>
<source>Lines</source>
<translation>Linien</translation>
</message>
<message>
<source>Lines of the collection</source>
<translation>Zeilen der Sammlung</translation>
</message>
<message>
<source>Load settings</source>
<translation>Einstellungen laden</translation>
</message>
<message>
<source>Load settings…</source>
<translation>Einstellungen laden …</translation>
</message>
<message>
<source>Loading the built-in model…</source>
<translation>Das mitgelieferte Modell wird geladen…</translation>
</message>
<message>
<source>Loading the model…</source>
<translation>Das Modell wird geladen…</translation>
</message>
<message>
<source>Loading {name}…</source>
<translation>{name} wird geladen…</translation>
</message>
<message>
<source>Log</source>
<translation>Log</translation>
</message>
<message>
<source>Log odds in nats</source>
<translation>Log-Odds in Nat</translation>
</message>
<message>
<source>Log-probability in nats</source>
<translation>Log-Wahrscheinlichkeit in Nat</translation>
</message>
<message>
<source>Logarithmic: differences between small values are as visible as between large ones</source>
<translation>Logarithmisch: Unterschiede zwischen kleinen Werten sind so gut zu sehen wie zwischen großen</translation>
</message>
<message>
<source>Longer ones have more context and take more time.</source>
<translation>Längere haben mehr Kontext und brauchen mehr Zeit.</translation>
</message>
<message>
<source>Longer texts are cut while it learns; passages are read in windows.</source>
<translation>Längere Texte werden beim Lernen gekürzt; Passagen werden in Fenstern gelesen.</translation>
</message>
<message>
<source>Longer: it fires more for the selected token. Click one, or use the arrow keys.</source>
<translation>Länger: Es feuert beim ausgewählten Token stärker. Eines anklicken oder die Pfeiltasten benutzen.</translation>
</message>
<message>
<source>Longest answer</source>
<translation>Längste Antwort</translation>
</message>
<message>
<source>Longest answer, in tokens</source>
<translation>Längste Antwort, in Token</translation>
</message>
<message>
<source>Look again at what has a ring around it.</source>
<translation>Sieh dir noch einmal an, was einen Ring um sich hat.</translation>
</message>
<message>
<source>Look around</source>
<translation>Umschauen</translation>
</message>
<message numerus="yes">
<source>Look for %n token(s)</source>
<translation>
<numerusform>%n Token suchen</numerusform>
<numerusform>%n Token suchen</numerusform>
</translation>
</message>
<message>
<source>Look left only</source>
<translation>Nur nach links</translation>
</message>
<message>
<source>Look right only</source>
<translation>Nur nach rechts</translation>
</message>
<message>
<source>Loss</source>
<translation>Loss</translation>
</message>
<message>
<source>Loss on held-out text: how wrong its guesses are.</source>
<translation>Loss auf ungesehenem Text: wie falsch es rät.</translation>
</message>
<message>
<source>Loss on masked words in training, averaged: how wrong its guesses are.</source>
<translation>Loss bei maskierten Wörtern im Training, gemittelt: wie falsch es rät.</translation>
</message>
<message>
<source>Loss {loss}, rank {rank}: probability {p}.</source>
<translation>Loss {loss}, Rang {rank}: Wahrscheinlichkeit {p}.</translation>
</message>
<message>
<source>Loss {loss}, the mean squared error.</source>
<translation>Loss {loss}, der mittlere quadratische Fehler.</translation>
</message>
<message>
<source>Loss {loss}, {right} right.</source>
<translation>Loss {loss}, {right} richtig.</translation>
</message>
<message>
<source>M: mask · Esc: deselect · Ctrl+K: find a command · F1: help</source>
<translation>M: maskieren · Esc: Auswahl aufheben · Strg+K: Befehl suchen · F1: Hilfe</translation>
</message>
<message>
<source>MB</source>
<translation>MB</translation>
</message>
<message>
<source>MNLI (two test sets), RTE: does it follow? QQP, MRPC: do both say the same? QNLI: is that the answer? SST-2: a positive review? CoLA: grammatical (0: guessing)? STS-B: how similar? In percent; beside each task: how many training examples. *: on other data, not comparable with the rows above.</source>
<translation>MNLI (zwei Testsets), RTE: Folgt es? QQP, MRPC: Sagen beide dasselbe? QNLI: Ist das die Antwort? SST-2: positive Filmkritik? CoLA: grammatisch (0: geraten)? STS-B: Wie ähnlich? In Prozent; neben jeder Aufgabe: wie viele Trainingsbeispiele. *: an anderen Daten, nicht mit den Zeilen darüber vergleichbar.</translation>
</message>
<message>
<source>Made to compare sentences</source>
<translation>Gemacht, um Sätze zu vergleichen</translation>
</message>
<message>
<source>Make room on the disk: old runs can be deleted in the list. Then resume.</source>
<translation>Auf der Platte Platz schaffen: Alte Läufe lassen sich in der Liste löschen. Danach fortsetzen.</translation>
</message>
<message>
<source>Make “{token}” look more or less at</source>
<translation>„{token}“ mehr oder weniger schauen lassen auf</translation>
</message>
<message>
<source>Many heads have one simple habit. Click one (layer·head); the percentage says how strong the habit is.</source>
<translation>Viele Köpfe haben eine einfache Gewohnheit. Zum Anklicken (Schicht·Kopf); der Prozentwert sagt, wie stark sie ist.</translation>
</message>
<message>
<source>Many parts make this answer together: {count} of {parts} are needed to keep {share}.</source>
<translation>Viele Teile tragen diese Antwort gemeinsam: Für {share} braucht es {count} von {parts}.</translation>
</message>
<message>
<source>Many texts</source>
<translation>Viele Texte</translation>
</message>
<message>
<source>Map</source>
<translation>Karte</translation>
</message>
<message>
<source>Map</source>
<comment>RoomSpec</comment>
<translation>Überblick</translation>
</message>
<message>
<source>Map of the documents</source>
<translation>Karte der Dokumente</translation>
</message>
<message>
<source>Map of this text</source>
<translation>Karte dieses Textes</translation>
</message>
<message>
<source>Map of this text, large</source>
<translation>Karte dieses Textes, groß</translation>
</message>
<message>
<source>Mark it again</source>
<translation>Noch einmal prüfen</translation>
</message>
<message>
<source>Mark my file</source>
<translation>Meine Datei prüfen</translation>
</message>
<message>
<source>Mark my file…</source>
<translation>Meine Datei prüfen…</translation>
</message>
<message>
<source>Marking a file runs it: choose only one that you would run yourself.</source>
<translation>Beim Prüfen wird die Datei ausgeführt: nur eine wählen, die man auch selbst ausführen würde.</translation>
</message>
<message>
<source>Mask</source>
<translation>Maskieren</translation>
</message>
<message>
<source>Mask a token (M) to see which words each part speaks for there.</source>
<translation>Ein Token maskieren (M) zeigt, welche Wörter jeder Teil dort stärkt.</translation>
</message>
<message>
<source>Mask a word</source>
<translation>Ein Wort maskieren</translation>
</message>
<message>
<source>Mask a word (M) to see how a change affects it.</source>
<translation>Ein Wort maskieren (M), um zu sehen, wie sich eine Änderung auswirkt.</translation>
</message>
<message>
<source>Mask a word (M) to see what this does to it.</source>
<translation>Ein Wort maskieren (M), um zu sehen, was das bei ihm bewirkt.</translation>
</message>
<message>
<source>Mask a word (M): then you can ask about the model’s guesses for it.</source>
<translation>Ein Wort maskieren (M): Dann lässt sich nach den Vorschlägen des Modells dafür fragen.</translation>
</message>
<message>
<source>Mask a word to see the guesses for it change.</source>
<translation>Ein Wort maskieren: Dann ändern sich die Tipps dafür.</translation>
</message>
<message>
<source>Mask a word, and the model guesses it: double-click a token, or select it and press M.</source>
<translation>Ein Wort maskieren, und das Modell rät es: ein Token doppelt anklicken oder auswählen und M drücken.</translation>
</message>
<message>
<source>Mask or unmask the token</source>
<translation>Token maskieren oder aufdecken</translation>
</message>
<message>
<source>Mask “{token}”</source>
<translation>„{token}“ maskieren</translation>
</message>
<message>
<source>Masked words</source>
<translation>Maskierte Wörter</translation>
</message>
<message>
<source>Masked words guessed right</source>
<translation>Richtig geratene maskierte Wörter</translation>
</message>
<message>
<source>Masked words, in text that the run never trains on; the latest measurement</source>
<translation>Maskierte Wörter in Text, an dem der Lauf nie trainiert; die letzte Messung</translation>
</message>
<message>
<source>Masked-word loss {loss}, {right} right on the first guess.</source>
<translation>Loss der maskierten Wörter {loss}, {right} beim ersten Tipp richtig.</translation>
</message>
<message>
<source>Masks one word at a time: how much less likely is the answer without it?</source>
<translation>Maskiert ein Wort nach dem anderen: Wie viel unwahrscheinlicher ist die Antwort ohne es?</translation>
</message>
<message>
<source>Match: the adjusted Rand index; 1: the same groups, 0: as by chance. Click a layer.</source>
<translation>Übereinstimmung: der adjustierte Rand-Index; 1: gleiche Gruppen, 0: wie durch Zufall. Eine Schicht lässt sich anklicken.</translation>
</message>
<message>
<source>Matching heads, best first</source>
<translation>Passende Köpfe, der beste zuerst</translation>
</message>
<message>
<source>Matrix</source>
<translation>Matrix</translation>
</message>
<message>
<source>Matthews correlation</source>
<translation>Matthews-Korrelation</translation>
</message>
<message>
<source>Maximum held-out examples</source>
<translation>Höchstens so viele Beispiele zum Messen</translation>
</message>
<message>
<source>Maximum tokens per example</source>
<translation>Höchstens so viele Token je Beispiel</translation>
</message>
<message>
<source>Maximum training examples</source>
<translation>Höchstens so viele Beispiele zum Lernen</translation>
</message>
<message>
<source>Mean attention of all heads: rows are the tokens that look, columns what they look at</source>
<translation>Mittlere Attention aller Köpfe: Zeilen sind die Token, die hinschauen, Spalten die, die sie ansehen</translation>
</message>
<message>
<source>Mean cosine between uses of the word</source>
<translation>Mittlerer Kosinus der Verwendungen</translation>
</message>
<message>
<source>Mean effect of each head: rows are layers, columns are heads</source>
<translation>Mittlere Wirkung jedes Kopfs: Zeilen sind Schichten, Spalten Köpfe</translation>
</message>
<message>
<source>Mean ln p (nearer to 0: more likely): {means}.</source>
<translation>Mittleres ln p (näher an 0: wahrscheinlicher): {means}.</translation>
</message>
<message numerus="yes">
<source>Mean of %n head(s)</source>
<translation>
<numerusform>Mittel von %n Kopf</numerusform>
<numerusform>Mittel von %n Köpfen</numerusform>
</translation>
</message>
<message>
<source>Mean of all heads of layer {layer}</source>
<translation>Mittel aller Köpfe von Schicht {layer}</translation>
</message>
<message>
<source>Mean of heads</source>
<translation>Mittel von Köpfen</translation>
</message>
<message>
<source>Mean probability of the word at [MASK]: {means}.</source>
<translation>Mittlere Wahrscheinlichkeit des Wortes bei [MASK]: {means}.</translation>
</message>
<message>
<source>Meaning {number}</source>
<translation>Bedeutung {number}</translation>
</message>
<message>
<source>Meaning {number}; click for another</source>
<translation>Bedeutung {number}; ein Klick wählt eine andere</translation>
</message>
<message>
<source>Means of a template: rows are the first choice, columns the second</source>
<translation>Mittelwerte einer Vorlage: Zeilen sind die erste Auswahl, Spalten die zweite</translation>
</message>
<message numerus="yes">
<source>Measured on %n held-out example(s), which it never learned from.</source>
<translation>
<numerusform>Gemessen an %n ungesehenen Beispiel, aus dem es nie gelernt hat.</numerusform>
<numerusform>Gemessen an %n ungesehenen Beispielen, aus denen es nie gelernt hat.</numerusform>
</translation>
</message>
<message>
<source>Memory</source>
<translation>Speicher</translation>
</message>
<message>
<source>Message</source>
<translation>Meldung</translation>
</message>
<message>
<source>Metrics on held-out examples</source>
<translation>Messwerte auf ungesehenen Beispielen</translation>
</message>
<message>
<source>Missed most often on the first try: {page} ({wrong} of {count})</source>
<translation>Beim ersten Versuch am häufigsten falsch beantwortet: {page} ({wrong} von {count})</translation>
</message>
<message>
<source>Model</source>
<translation>Modell</translation>
</message>
<message>
<source>Model family</source>
<translation>Modellfamilie</translation>
</message>
<message>
<source>Models to try</source>
<translation>Modelle zum Ausprobieren</translation>
</message>
<message>
<source>More</source>
<translation>Mehr</translation>
</message>
<message>
<source>More layers learn more, and take longer.</source>
<translation>Mehr Schichten lernen mehr und brauchen länger.</translation>
</message>
<message>
<source>Most likely replaced</source>
<translation>Am wahrscheinlichsten ersetzt</translation>
</message>
<message>
<source>Most likely words</source>
<translation>Wahrscheinlichste Wörter</translation>
</message>
<message>
<source>Most likely words with the baseline</source>
<translation>Wahrscheinlichste Wörter bei der Baseline</translation>
</message>
<message>
<source>Most likely words, with the baseline and now</source>
<translation>Wahrscheinlichste Wörter, bei der Baseline und jetzt</translation>
</message>
<message>
<source>Most of all heads: {head}.</source>
<translation>Am meisten von allen Köpfen: {head}.</translation>
</message>
<message>
<source>Most of the difference: {places}.</source>
<translation>Das meiste vom Unterschied: {places}.</translation>
</message>
<message>
<source>Most often each step was too large: it jumped past good weights, and the next one further still.</source>
<translation>Meist waren die Schritte zu groß: Jeder sprang an guten Gewichten vorbei, der nächste noch weiter.</translation>
</message>
<message>
<source>Most similar to the selected token</source>
<translation>Am ähnlichsten zum gewählten Token</translation>
</message>
<message>
<source>Most surprising</source>
<translation>Am überraschendsten</translation>
</message>
<message>
<source>Most surprising words</source>
<translation>Überraschendste Wörter</translation>
</message>
<message>
<source>Move B to segment A</source>
<translation>B in Segment A verschieben</translation>
</message>
<message>
<source>Move to segment B</source>
<translation>In Segment B verschieben</translation>
</message>
<message>
<source>Move to segment {letter}</source>
<translation>In Segment {letter} verschieben</translation>
</message>
<message>
<source>Move to segment {segment}</source>
<translation>In Segment {segment} verschieben</translation>
</message>
<message>
<source>Move to the bin</source>
<translation>In den Papierkorb</translation>
</message>
<message>
<source>Move “{name}” with all its snapshots to the bin?</source>
<translation>„{name}“ mit allen Snapshots in den Papierkorb verschieben?</translation>
</message>
<message>
<source>Moved</source>
<translation>Bewegt</translation>
</message>
<message>
<source>Multiple choice</source>
<translation>Multiple Choice</translation>
</message>
<message>
<source>Name</source>
<translation>Name</translation>
</message>
<message>
<source>Name, copy, export or delete this run</source>
<translation>Diesen Lauf benennen, kopieren, exportieren oder löschen</translation>
</message>
<message>
<source>Name, tags and note</source>
<translation>Name, Schlagwörter und Notiz</translation>
</message>
<message>
<source>Name, tags and note…</source>
<translation>Name, Schlagwörter und Notiz…</translation>
</message>
<message>
<source>Names</source>
<translation>Namen</translation>
</message>
<message>
<source>Names in a sentence (CoNLL-2003)</source>
<translation>Namen in einem Satz (CoNLL-2003)</translation>
</message>
<message>
<source>Near tokens are alike: PCA shows {share} of the differences.</source>
<translation>Nahe Token ähneln sich: PCA zeigt {share} der Unterschiede.</translation>
</message>
<message>
<source>Nearest documents</source>
<translation>Nächste Dokumente</translation>
</message>
<message>
<source>Nearest uses</source>
<translation>Nächste Verwendungen</translation>
</message>
<message>
<source>Nearest words in the token table</source>
<translation>Nächste Wörter in der Token-Tabelle</translation>
</message>
<message>
<source>Nearly the same</source>
<translation>Fast gleich</translation>
</message>
<message>
<source>Neuron</source>
<translation>Neuron</translation>
</message>
<message>
<source>Neuron {number} of layer {layer}</source>
<translation>Neuron {number} von Schicht {layer}</translation>
</message>
<message>
<source>Neurons</source>
<translation>Neuronen</translation>
</message>
<message>
<source>Neurons that fire most</source>
<translation>Neuronen, die am stärksten feuern</translation>
</message>
<message>
<source>Neurons that fire most for this token</source>
<translation>Neuronen, die bei diesem Token am stärksten feuern</translation>
</message>
<message>
<source>New here? A five-minute tour shows what each room is for.</source>
<translation>Neu hier? Ein Rundgang von fünf Minuten zeigt, wozu jeder Raum da ist.</translation>
</message>
<message>
<source>New run</source>
<translation>Neuer Lauf</translation>
</message>
<message>
<source>New run with these settings…</source>
<translation>Neuer Lauf mit diesen Einstellungen…</translation>
</message>
<message>
<source>Next</source>
<translation>Weiter</translation>
</message>
<message>
<source>Next one-word neuron</source>
<translation>Nächstes Ein-Wort-Neuron</translation>
</message>
<message>
<source>Next page of the lesson</source>
<translation>Nächste Seite der Lektion</translation>
</message>
<message>
<source>Next sentence</source>
<translation>Nächster Satz</translation>
</message>
<message>
<source>Next sentence guessed right</source>
<translation>Nächster Satz richtig geraten</translation>
</message>
<message>
<source>Next words first</source>
<translation>Zuerst nächste Wörter</translation>
</message>
<message>
<source>Next-word loss {loss}, {right} right on the first guess.</source>
<translation>Loss des nächsten Worts {loss}, {right} beim ersten Tipp richtig.</translation>
</message>
<message>
<source>Next: {title}</source>
<translation>Danach: {title}</translation>
</message>
<message>
<source>No</source>
<translation>Nein</translation>
</message>
<message>
<source>No LayerNorm here: a pre-norm model has one inside each layer, so the sum goes in unchanged.</source>
<translation>Kein LayerNorm hier: Ein Pre-Norm-Modell hat eines in jeder Schicht, die Summe geht also unverändert hinein.</translation>
</message>
<message>
<source>No answer</source>
<translation>Keine Antwort</translation>
</message>
<message>
<source>No collection yet</source>
<translation>Noch keine Sammlung</translation>
</message>
<message>
<source>No head alone moves the answer much.</source>
<translation>Kein Kopf allein bewegt die Antwort weit.</translation>
</message>
<message>
<source>No head finds the pairs “{relation}” better than guessing: head {head} finds {share}; that the second word always stands {guess} of the first, {other}.</source>
<translation>Kein Kopf findet die Paare „{relation}“ besser als Raten: Kopf {head} findet {share}; der Tipp, das zweite Wort stehe immer {guess} vom ersten, findet {other}.</translation>
</message>
<message numerus="yes">
<source>No longer there: %n run(s).</source>
<translation>
<numerusform>Nicht mehr vorhanden: %n Lauf.</numerusform>
<numerusform>Nicht mehr vorhanden: %n Läufe.</numerusform>
</translation>
</message>
<message>
<source>No model</source>
<translation>Kein Modell</translation>
</message>
<message>
<source>No model is open. Open a model folder from the menu at the top, or drop one here.</source>
<translation>Kein Modell ist offen. Im Menü oben einen Modellordner öffnen oder einen hierher ziehen.</translation>
</message>
<message>
<source>No next sentence, new masks each time, ten times the text, larger batches, byte-level BPE</source>
<translation>Kein nächster Satz, jedes Mal neue Masken, zehnmal so viel Text, größere Batches, Byte-BPE</translation>
</message>
<message>
<source>No notes for this page.</source>
<translation>Zu dieser Seite gibt es keine Notizen.</translation>
</message>
<message>
<source>No pair of {file} can be asked: both words have to be single tokens of this vocabulary, and the two texts as long as each other, with different answers.</source>
<translation>Kein Paar aus {file} lässt sich fragen: Beide Wörter müssen einzelne Token dieses Vokabulars sein, und die beiden Texte gleich lang, mit verschiedenen Antworten.</translation>
</message>
<message>
<source>No position embedding</source>
<translation>Ohne Positions-Embedding</translation>
</message>
<message>
<source>No predicted words</source>
<translation>Keine vorhergesagten Wörter</translation>
</message>
<message>
<source>No prediction to explain</source>
<translation>Keine Vorhersage zum Erklären</translation>
</message>
<message>
<source>No predictions</source>
<translation>Keine Vorhersagen</translation>
</message>
<message>
<source>No relation occurs often enough on both halves of the sentences; choose a larger treebank.</source>
<translation>Keine Beziehung kommt auf beiden Hälften der Sätze oft genug vor; eine größere Baumbank wählen.</translation>
</message>
<message>
<source>No runs yet. Start one: the class demo takes about a minute.</source>
<translation>Noch keine Läufe. Einen starten: Die Vorführung dauert etwa eine Minute.</translation>
</message>
<message>
<source>No sample ships for the task of this model; open a file of examples.</source>
<translation>Für die Aufgabe dieses Modells wird kein Beispiel mitgeliefert; eine Datei mit Beispielen öffnen.</translation>
</message>
<message>
<source>No scores</source>
<translation>Keine Bewertung</translation>
</message>
<message>
<source>No segment embedding</source>
<translation>Ohne Segment-Embedding</translation>
</message>
<message>
<source>No single likely word in place of another changes the answer “{given}”.</source>
<translation>Kein einzelnes wahrscheinliches Wort anstelle eines anderen ändert die Antwort „{given}“.</translation>
</message>
<message>
<source>No task yet</source>
<translation>Noch keine Aufgabe</translation>
</message>
<message>
<source>No token differs.</source>
<translation>Kein Token unterscheidet sich.</translation>
</message>
<message>
<source>No token embedding</source>
<translation>Ohne Token-Embedding</translation>
</message>
<message>
<source>No token moved: training did not change the token embeddings.</source>
<translation>Kein Token hat sich bewegt: Das Training hat die Token-Embeddings nicht verändert.</translation>
</message>
<message>
<source>No token of this text can show a head of the kind “{kind}”.</source>
<translation>Kein Token dieses Textes kann einen Kopf der Art „{kind}“ zeigen.</translation>
</message>
<message>
<source>No tokens</source>
<translation>Keine Token</translation>
</message>
<message>
<source>No tokens: in this step each token predicts the next one, and can only look back.</source>
<translation>Keine Token: In diesem Schritt sagt jedes Token das nächste voraus und kann nur zurückschauen.</translation>
</message>
<message>
<source>No word is masked in this text.</source>
<translation>In diesem Text ist kein Wort maskiert.</translation>
</message>
<message>
<source>No word to explain</source>
<translation>Kein Wort zu erklären</translation>
</message>
<message>
<source>No word yet. Guess the first one yourself, and then see the model’s.</source>
<translation>Noch kein Wort. Erst selbst das erste raten, dann das des Modells ansehen.</translation>
</message>
<message>
<source>No, thank you</source>
<translation>Nein, danke</translation>
</message>
<message>
<source>Nobody got anything wrong.</source>
<translation>Niemand hat etwas falsch.</translation>
</message>
<message>
<source>Nobody looks at padding, but now the rows do not add up to 1.</source>
<translation>Auf das Padding schaut niemand, aber jetzt ergeben die Zeilen nicht mehr 1.</translation>
</message>
<message>
<source>Nobody taught the model grammar. Does a head still look from a subject to its verb, and more often than always guessing the next word would?</source>
<translation>Niemand hat dem Modell Grammatik beigebracht. Schaut trotzdem ein Kopf vom Subjekt zum Verb, und öfter, als immer das nächste Wort zu raten träfe?</translation>
</message>
<message>
<source>None of the labels</source>
<translation>Keines der Labels</translation>
</message>
<message>
<source>None of these runs finished.</source>
<translation>Keiner dieser Läufe wurde fertig.</translation>
</message>
<message>
<source>Normal: no step has moved any part by more than {most}. Healthy runs stay below {limit}.</source>
<translation>Normal: Kein Schritt hat einen Teil um mehr als {most} bewegt. Gesunde Läufe bleiben unter {limit}.</translation>
</message>
<message>
<source>Not checked: no numbers are stored with this model that this computer could be compared with. docs/parity.md says how to check it with transformers and how to store them.</source>
<translation>Nicht geprüft: Beim Modell sind keine Zahlen gespeichert, mit denen sich dieser Rechner vergleichen ließe. docs/parity.md sagt, wie man es mit transformers prüft und wie man sie speichert.</translation>
</message>
<message>
<source>Not computed yet: heads or layers are taken out one by one (Compute, above).</source>
<translation>Noch nicht berechnet: Köpfe oder Schichten werden nach und nach herausgenommen (oben: „Berechnen“).</translation>
</message>
<message numerus="yes">
<source>Not finished, so not counted: %n run(s).</source>
<translation>
<numerusform>Nicht fertig und darum nicht gezählt: %n Lauf.</numerusform>
<numerusform>Nicht fertig und darum nicht gezählt: %n Läufe.</numerusform>
</translation>
</message>
<message>
<source>Not for this model</source>
<translation>Nicht mit diesem Modell</translation>
</message>
<message numerus="yes">
<source>Not in the vocabulary, read as {token}: {words} and %n more.</source>
<translation>
<numerusform>Nicht im Vokabular, gelesen als {token}: {words} und %n weiteres.</numerusform>
<numerusform>Nicht im Vokabular, gelesen als {token}: {words} und %n weitere.</numerusform>
</translation>
</message>
<message>
<source>Not in the vocabulary, read as {token}: {words}.</source>
<translation>Nicht im Vokabular, gelesen als {token}: {words}.</translation>
</message>
<message>
<source>Not quite.</source>
<translation>Nicht ganz.</translation>
</message>
<message>
<source>Not quite. Try once more:</source>
<translation>Nicht ganz. Versuche es noch einmal:</translation>
</message>
<message>
<source>Not similar</source>
<translation>Nicht ähnlich</translation>
</message>
<message>
<source>Not yet. {now}</source>
<translation>Noch nicht. {now}</translation>
</message>
<message>
<source>Not yet: now it is “{now}”.</source>
<translation>Noch nicht: Jetzt ist es „{now}“.</translation>
</message>
<message>
<source>Note</source>
<translation>Notiz</translation>
</message>
<message>
<source>Nothing else in this collection is like “{word}”.</source>
<translation>Nichts anderes in dieser Sammlung gleicht „{word}“.</translation>
</message>
<message>
<source>Nothing found.</source>
<translation>Nichts gefunden.</translation>
</message>
<message>
<source>Nothing is changed yet.</source>
<translation>Noch ist nichts geändert.</translation>
</message>
<message>
<source>Nothing is cut: the longest of {counted} examples has {longest} tokens, and up to {limit} fit.</source>
<translation>Nichts wird gekürzt: Das längste von {counted} Beispielen hat {longest} Tokens, und bis zu {limit} passen.</translation>
</message>
<message>
<source>Nothing is cut: the longest of {counted} sentences has {longest} tokens, and up to {limit} fit.</source>
<translation>Nichts wird gekürzt: Der längste von {counted} Sätzen hat {longest} Tokens, und bis zu {limit} passen.</translation>
</message>
<message>
<source>Nothing is here yet. What is put into {folder} is shown at once.</source>
<translation>Hier ist noch nichts. Was in {folder} gelegt wird, erscheint sofort.</translation>
</message>
<message>
<source>Nothing is masked, so the model can see the word itself. Its first guess: “{word}”, {share}. Mask a token (M) to hide it.</source>
<translation>Nichts ist maskiert, das Modell sieht also das Wort selbst. Sein erster Tipp: „{word}“, {share}. Ein Token maskieren (M), um es zu verbergen.</translation>
</message>
<message>
<source>Nothing is padded here, so the attention mask hides nothing. Choose a greater length.</source>
<translation>Hier ist nichts aufgefüllt, also verdeckt die Attention-Maske nichts. Eine größere Länge wählen.</translation>
</message>
<message>
<source>Nothing is written here yet.</source>
<translation>Hier steht noch nichts.</translation>
</message>
<message>
<source>Nothing to explain</source>
<translation>Nichts zu erklären</translation>
</message>
<message>
<source>Nothing: both models have the same weights.</source>
<translation>Nichts: Beide Modelle haben dieselben Gewichte.</translation>
</message>
<message>
<source>Now change what the model reads: a letter or a number, or leave a part out. Try it:</source>
<translation>Jetzt ändern, was das Modell liest: einen Buchstaben oder eine Nummer, oder einen Teil weglassen. Zum Ausprobieren:</translation>
</message>
<message>
<source>Now click the number of the token to swap with “{token}” (Esc cancels).</source>
<translation>Jetzt die Nummer des Tokens anklicken, das mit „{token}“ tauschen soll (Esc bricht ab).</translation>
</message>
<message>
<source>Now click the other token (Esc cancels).</source>
<translation>Jetzt das andere Token anklicken (Esc bricht ab).</translation>
</message>
<message>
<source>Now {now}. The whole head, for all tokens: without it, {then}.</source>
<translation>Jetzt {now}. Der ganze Kopf, für alle Token: ohne ihn {then}.</translation>
</message>
<message>
<source>Now {now}; you need anything else.</source>
<translation>Jetzt {now}; nötig ist etwas anderes.</translation>
</message>
<message>
<source>Now {now}; you need less than {target}.</source>
<translation>Jetzt {now}; nötig sind weniger als {target}.</translation>
</message>
<message>
<source>Now {now}; you need more than {target}.</source>
<translation>Jetzt {now}; nötig sind mehr als {target}.</translation>
</message>
<message>
<source>Now {now}; you need {target} or less.</source>
<translation>Jetzt {now}; nötig sind {target} oder weniger.</translation>
</message>
<message>
<source>Now {now}; you need {target} or more.</source>
<translation>Jetzt {now}; nötig sind {target} oder mehr.</translation>
</message>
<message>
<source>Now {now}; you need {target}.</source>
<translation>Jetzt {now}; nötig sind {target}.</translation>
</message>
<message>
<source>Number at a part: the share of it that is lost when the part works as on the other text; at an arrow: when only that signal is the other text’s. Red: for the answer. Blue: against it. Parts need each other, so shares need not add up.</source>
<translation>Zahl an einem Teil: der Anteil des Unterschieds, der verloren geht, wenn der Teil wie beim anderen Text arbeitet; an einem Pfeil: wenn nur dieses Signal vom anderen Text stammt. Rot: für die Antwort. Blau: dagegen. Teile brauchen einander, daher ergeben die Anteile zusammen nicht unbedingt 100 %.</translation>
</message>
<message>
<source>Number of the neuron</source>
<translation>Nummer des Neurons</translation>
</message>
<message>
<source>Number of tokens</source>
<translation>Zahl der Token</translation>
</message>
<message>
<source>Number {id} of the {count} tokens in the vocabulary.</source>
<translation>Nummer {id} der {count} Token im Vokabular.</translation>
</message>
<message>
<source>Numbers</source>
<translation>Zahlen</translation>
</message>
<message>
<source>Numbers and colours: how far a swap moves the odds of “{first}” against “{second}” (on a log scale) from this text (0) to the other (1).</source>
<translation>Zahlen und Farben: wie weit ein Austausch das Verhältnis von „{first}“ zu „{second}“ (logarithmisch) von diesem Text (0) zum anderen (1) bewegt.</translation>
</message>
<message>
<source>Numbers and colours: how far a swap moves this number from this text (0) to the other (1).</source>
<translation>Zahlen und Farben: wie weit ein Austausch diese Zahl von diesem Text (0) zum anderen (1) bewegt.</translation>
</message>
<message>
<source>Numbers and colours: how far a swap moves this probability (on a log scale) from this text (0) to the other (1).</source>
<translation>Zahlen und Farben: wie weit ein Austausch diese Wahrscheinlichkeit (logarithmisch) von diesem Text (0) zum anderen (1) bewegt.</translation>
</message>
<message>
<source>Numbers in each hidden state</source>
<translation>Zahlen in jedem Hidden State</translation>
</message>
<message>
<source>Numbers that training sets: weights and biases. What layers share counts once.</source>
<translation>Zahlen, die das Training einstellt: Gewichte und Biases. Was Schichten teilen, zählt einmal.</translation>
</message>
<message>
<source>O: not a name. B-: a name begins; I-: it continues.</source>
<translation>O: kein Name. B-: ein Name beginnt; I-: er geht weiter.</translation>
</message>
<message>
<source>OK</source>
<translation>OK</translation>
</message>
<message>
<source>Of all heads, head {head} of layer {layer} moves the answer most: {share}.</source>
<translation>Von allen Köpfen bewegt Kopf {head} der Schicht {layer} die Antwort am weitesten: {share}.</translation>
</message>
<message>
<source>Of the tokens that both have: “{token}”, {stage}.</source>
<translation>Von den Token, die beide haben: „{token}“, {stage}.</translation>
</message>
<message>
<source>Of these, replaced by a random token</source>
<translation>Davon durch ein zufälliges Token ersetzt</translation>
</message>
<message>
<source>Of these, shown as [MASK]</source>
<translation>Davon als [MASK] gezeigt</translation>
</message>
<message>
<source>Of this text and model alone.</source>
<translation>Nur von diesem Text und Modell.</translation>
</message>
<message>
<source>Of which label</source>
<translation>Mit welchem Label</translation>
</message>
<message>
<source>Off: the model takes [PAD] for a word</source>
<translation>Aus: Das Modell hält [PAD] für ein Wort</translation>
</message>
<message>
<source>On all {count} held-out examples it is {final}.</source>
<translation>Auf allen {count} ungesehenen Beispielen: {final}.</translation>
</message>
<message>
<source>On average {most} changed most of all layers, {least} least.</source>
<translation>Im Mittel hat sich von allen Schichten {most} am meisten verändert, {least} am wenigsten.</translation>
</message>
<message>
<source>On each: token, id, segment and position, attention mask (1: a token, 0: padding).</source>
<translation>Auf jedem: Token, Nummer, Segment und Position, Attention-Maske (1: ein Token, 0: aufgefüllt).</translation>
</message>
<message>
<source>On examples that the run never trains on; the latest measurement</source>
<translation>Auf Beispielen, an denen der Lauf nie trainiert; die letzte Messung</translation>
</message>
<message>
<source>On held-out examples</source>
<translation>Auf ungesehenen Beispielen</translation>
</message>
<message>
<source>On held-out examples its {metric} went from {before} to {after}.</source>
<translation>{metric} auf ungesehenen Beispielen: erst {before}, jetzt {after}.</translation>
</message>
<message>
<source>On held-out examples, at the end of its run: {metric} {value}.</source>
<translation>Auf ungesehenen Beispielen, am Ende des Laufs: {metric} {value}.</translation>
</message>
<message>
<source>On held-out examples, which it never trains on: 1 is perfect.</source>
<translation>Auf ungesehenen Beispielen, mit denen es nie trainiert: 1 ist perfekt.</translation>
</message>
<message>
<source>On held-out text its loss went from {before} to {after}; {share} of the masked words are right.</source>
<translation>Auf ungesehenem Text ging der Loss von {before} auf {after}; {share} der maskierten Wörter sind richtig.</translation>
</message>
<message>
<source>On other examples like these it may be anything from {low} to {high} (95% interval).</source>
<translation>Auf anderen Beispielen dieser Art kann es alles von {low} bis {high} sein (95-%-Intervall).</translation>
</message>
<message>
<source>On the page: {question}</source>
<translation>Auf der Seite: {question}</translation>
</message>
<message>
<source>On {some} of the {all} held-out examples, always the same; the table has the figures on all.</source>
<translation>Auf {some} der {all} ungesehenen Beispiele, immer denselben; in der Tabelle stehen die Werte auf allen.</translation>
</message>
<message>
<source>One JSON object per line.</source>
<translation>Ein JSON-Objekt je Zeile.</translation>
</message>
<message>
<source>One JSON object per line: a document, with its text in the field “{text}”.</source>
<translation>Ein JSON-Objekt je Zeile: ein Dokument mit seinem Text im Feld „{text}“.</translation>
</message>
<message>
<source>One context of each sentence; {count} tokens looked at.</source>
<translation>Ein Kontext je Satz; {count} Token betrachtet.</translation>
</message>
<message>
<source>One direction only</source>
<translation>Nur eine Richtung</translation>
</message>
<message>
<source>One document per line. A table (CSV, TSV, JSONL) may have labels in a column of its own.</source>
<translation>Ein Dokument pro Zeile. Eine Tabelle (CSV, TSV, JSONL) kann Labels in einer eigenen Spalte haben.</translation>
</message>
<message>
<source>One draw of a hundred</source>
<translation>Eine Ziehung von hundert</translation>
</message>
<message>
<source>One head</source>
<translation>Ein Kopf</translation>
</message>
<message>
<source>One idea each. Hover over it for the paper’s title.</source>
<translation>Je eine Idee. Darauf zeigen: der Titel des Artikels.</translation>
</message>
<message>
<source>One layer, step by step</source>
<translation>Eine Schicht, Schritt für Schritt</translation>
</message>
<message>
<source>One logit for two classes</source>
<translation>Ein Logit für zwei Klassen</translation>
</message>
<message>
<source>One neuron</source>
<translation>Ein Neuron</translation>
</message>
<message>
<source>One neuron may seem to stand for one thing. Where does it fire in a whole collection, and does the model miss it when it is gone?</source>
<translation>Ein Neuron scheint vielleicht für eine Sache zu stehen. Wo feuert es in einer ganzen Sammlung, und fehlt es dem Modell, wenn es weg ist?</translation>
</message>
<message>
<source>One number with binary cross-entropy, instead of one for each class.</source>
<translation>Eine Zahl mit binärer Kreuzentropie statt einer für jede Klasse.</translation>
</message>
<message>
<source>One of the numbers of a vector: red above 0, blue below.</source>
<translation>Eine der Zahlen eines Vektors: Rot über 0, Blau darunter.</translation>
</message>
<message>
<source>One of the three parts is missing: the model could not tell in which order the words stand.</source>
<translation>Einer der drei Teile fehlt: Das Modell wüsste nicht, in welcher Reihenfolge die Wörter stehen.</translation>
</message>
<message>
<source>One of the three parts is missing: the model could not tell sentence A from sentence B.</source>
<translation>Einer der drei Teile fehlt: Das Modell könnte Satz A nicht von Satz B unterscheiden.</translation>
</message>
<message>
<source>One of the two texts is empty: write a sentence in both to compare them.</source>
<translation>Einer der beiden Texte ist leer: Zum Vergleichen in beide einen Satz schreiben.</translation>
</message>
<message>
<source>One pair per line, or a template that makes many: The [author/authors|pilot/pilots] that the [guards|boys] like [smiles/smile]. A slash: the word here / in the other text. A bar: choices. The last place is what the model is asked: wanted / unwanted.</source>
<translation>Ein Paar pro Zeile, oder eine Vorlage, die viele ergibt: The [author/authors|pilot/pilots] that the [guards|boys] like [smiles/smile]. Schrägstrich: das Wort hier / im anderen Text. Senkrechter Strich: Auswahl. Der letzte Platz ist, wonach das Modell gefragt wird: gewollt / ungewollt.</translation>
</message>
<message>
<source>One sentence makes a hypothesis; a collection tests it. Which heads still matter when every pair counts?</source>
<translation>Ein Satz ergibt eine Hypothese, eine Sammlung prüft sie. Welche Köpfe zählen noch, wenn alle Paare zählen?</translation>
</message>
<message>
<source>One sentence per line.</source>
<translation>Ein Satz pro Zeile.</translation>
</message>
<message>
<source>One step</source>
<translation>Ein Schritt</translation>
</message>
<message>
<source>One table made BERT famous: eight tasks, one model, better at each than anything before it. What did smaller and later models reach, and how does your own run compare?</source>
<translation>Eine Tabelle machte BERT berühmt: acht Aufgaben, ein Modell, in jeder besser als alles davor. Was erreichten kleinere und spätere Modelle, und wo steht ein eigener Lauf?</translation>
</message>
<message>
<source>One text may be a coincidence; a list shows a habit. Is “she” more surprising than “he” after “the doctor said that”?</source>
<translation>Ein Text kann Zufall sein; eine Liste zeigt eine Gewohnheit. Ist „she“ nach „the doctor said that“ überraschender als „he“?</translation>
</message>
<message>
<source>One text per line, up to {count}; a tab divides A from B. A choice such as [doctor|nurse] makes a text of each word. “She sings. &gt; She sing.” asks which sentence the model prefers.</source>
<translation>Ein Text pro Zeile, bis zu {count}; ein Tabulator trennt A von B. Eine Auswahl wie [doctor|nurse] macht aus jedem Wort einen Text. „She sings. &gt; She sing.“ fragt, welchen Satz das Modell vorzieht.</translation>
</message>
<message>
<source>One token</source>
<translation>Ein Token</translation>
</message>
<message>
<source>One word</source>
<translation>Ein Wort</translation>
</message>
<message>
<source>One word in several sentences</source>
<translation>Ein Wort in mehreren Sätzen</translation>
</message>
<message>
<source>One word per line, with a blank line after each sentence. Words are in column {text}, tags in column {label}.</source>
<translation>Ein Wort je Zeile, mit einer Leerzeile nach jedem Satz. Die Wörter stehen in Spalte {text}, die Tags in Spalte {label}.</translation>
</message>
<message>
<source>One word through the layers</source>
<translation>Ein Wort durch die Schichten</translation>
</message>
<message>
<source>Only a choice has options.</source>
<translation>Nur eine Auswahlfrage hat Möglichkeiten.</translation>
</message>
<message>
<source>Only half of the other 20% become a random word.</source>
<translation>Nur die Hälfte der anderen 20 % wird ein Zufallswort.</translation>
</message>
<message>
<source>Only highlighted: every other part gives its output on the other text. Kept: 100% as in this text, 0% as in the other.</source>
<translation>Nur hervorgehobene: Jeder andere Teil gibt aus, was er beim anderen Text ausgibt. Erhalten: 100 % wie in diesem Text, 0 % wie im anderen.</translation>
</message>
<message>
<source>Only number and word questions have an “:: answer”; remove it.</source>
<translation>Nur Fragen nach Zahlen und Wörtern haben ein „:: answer“; entfernen.</translation>
</message>
<message>
<source>Only the curves of this run were kept. The snapshots of your own runs appear here.</source>
<translation>Von diesem Lauf wurden nur die Kurven behalten. Die Snapshots eigener Läufe erscheinen hier.</translation>
</message>
<message>
<source>Only the first [MASK] is predicted.</source>
<translation>Nur das erste [MASK] wird vorhergesagt.</translation>
</message>
<message>
<source>Only the first {shown} of {all} masks are shown.</source>
<translation>Nur die ersten {shown} von {all} Masken werden gezeigt.</translation>
</message>
<message>
<source>Only the {shown} tokens it looks at most are listed, out of {all}.</source>
<translation>Aufgelistet sind nur die {shown} Token, auf die er am meisten schaut, von {all}.</translation>
</message>
<message>
<source>Only what a part writes at this token itself is counted: LayerNorm and the word head’s activation are held fixed, effects through later parts are left out. Rounding error of the sum: {error}.</source>
<translation>Gezählt wird nur, was ein Teil an diesem Token selbst schreibt: LayerNorm und die Aktivierung des Wortkopfs bleiben fest, Wirkungen über spätere Teile fehlen. Rundungsfehler der Summe: {error}.</translation>
</message>
<message>
<source>Only words are chosen, but too many: the 15% were counted of all tokens.</source>
<translation>Ausgewählt werden nur Wörter, aber zu viele: Die 15 % wurden von allen Token gerechnet.</translation>
</message>
<message>
<source>Open Predict for the answer.</source>
<translation>Die Antwort steht unter Vorhersagen.</translation>
</message>
<message>
<source>Open a checkpoint or run folder</source>
<translation>Checkpoint- oder Lauf-Ordner öffnen</translation>
</message>
<message>
<source>Open a step and click a number.</source>
<translation>Einen Schritt öffnen und eine Zahl anklicken.</translation>
</message>
<message>
<source>Open a world</source>
<translation>Eine Welt öffnen</translation>
</message>
<message>
<source>Open another one for this game.</source>
<translation>Für dieses Spiel ein anderes öffnen.</translation>
</message>
<message>
<source>Open file…</source>
<translation>Datei öffnen…</translation>
</message>
<message>
<source>Open folder…</source>
<translation>Ordner öffnen…</translation>
</message>
<message>
<source>Open in all rooms</source>
<translation>In allen Räumen öffnen</translation>
</message>
<message>
<source>Open it</source>
<translation>Öffnen</translation>
</message>
<message>
<source>Open it, untrained</source>
<translation>Untrainiert öffnen</translation>
</message>
<message>
<source>Open its folder</source>
<translation>Ordner öffnen</translation>
</message>
<message>
<source>Open lesson</source>
<translation>Lektion öffnen</translation>
</message>
<message>
<source>Open lesson…</source>
<translation>Lektion öffnen…</translation>
</message>
<message>
<source>Open sentence pairs</source>
<translation>Textpaare öffnen</translation>
</message>
<message>
<source>Open session</source>
<translation>Sitzung öffnen</translation>
</message>
<message>
<source>Open session…</source>
<translation>Sitzung öffnen…</translation>
</message>
<message>
<source>Open the best model</source>
<translation>Bestes Modell öffnen</translation>
</message>
<message>
<source>Open the best step</source>
<translation>Besten Schritt öffnen</translation>
</message>
<message>
<source>Open the finished one</source>
<translation>Die fertige öffnen</translation>
</message>
<message>
<source>Open this model</source>
<translation>Dieses Modell öffnen</translation>
</message>
<message>
<source>Open this model in Attend</source>
<translation>Dieses Modell unter Attention öffnen</translation>
</message>
<message>
<source>Open this model in Map</source>
<translation>Dieses Modell unter Überblick öffnen</translation>
</message>
<message>
<source>Open this model in Predict</source>
<translation>Dieses Modell unter Vorhersagen öffnen</translation>
</message>
<message>
<source>Open this step</source>
<translation>Diesen Schritt öffnen</translation>
</message>
<message>
<source>Open {model}</source>
<translation>{model} öffnen</translation>
</message>
<message>
<source>Open {tiny} and play its snapshots</source>
<translation>{tiny} öffnen und seine Snapshots abspielen</translation>
</message>
<message>
<source>Opens the form for a new run with the same settings and this change</source>
<translation>Öffnet das Formular für einen neuen Lauf mit denselben Einstellungen und dieser Änderung</translation>
</message>
<message>
<source>Open…</source>
<translation>Öffnen …</translation>
</message>
<message>
<source>Optimiser</source>
<translation>Optimierer</translation>
</message>
<message>
<source>Or fine-tune this model yourself</source>
<translation>Oder dieses Modell selbst feintunen</translation>
</message>
<message>
<source>Orange square: sentence B.</source>
<translation>Oranges Quadrat: Satz B.</translation>
</message>
<message>
<source>Order of filling</source>
<translation>Reihenfolge des Füllens</translation>
</message>
<message>
<source>Other methods</source>
<translation>Andere Verfahren</translation>
</message>
<message>
<source>Other programs are keeping the machine busy right now; without them the run will be faster.</source>
<translation>Andere Programme beschäftigen gerade den Rechner; ohne sie geht es schneller.</translation>
</message>
<message>
<source>Other runs of the same kind, drawn over this one</source>
<translation>Andere Läufe derselben Art, über diesen gezeichnet</translation>
</message>
<message>
<source>Other vocabulary</source>
<translation>Anderes Vokabular</translation>
</message>
<message>
<source>Other ways to train several runs</source>
<translation>Mehrere Läufe auf andere Art</translation>
</message>
<message>
<source>Other, tiny models read easy, unseen text. Columns: what training did with the chosen tokens; rows: what is done here. Number: how often the likeliest token is the original.</source>
<translation>Andere, winzige Modelle lesen leichten, ungesehenen Text. Spalten: was das Training mit den gewählten Token machte; Zeilen: was hier mit ihnen geschieht. Zahl: wie oft das wahrscheinlichste Token das ursprüngliche ist.</translation>
</message>
<message>
<source>Output projection</source>
<translation>Ausgabe-Projektion</translation>
</message>
<message>
<source>Outside {low} to {high}, the range it was trained on: nothing limits its output.</source>
<translation>Außerhalb von {low} bis {high}, dem Bereich, an dem es trainiert wurde: Nichts begrenzt seine Ausgabe.</translation>
</message>
<message>
<source>Over how many tokens its attention is spread, averaged over all that look.</source>
<translation>Auf wie viele Token sich seine Attention verteilt, im Mittel über alle, die schauen.</translation>
</message>
<message>
<source>Over {count} pairs no head has an effect for sure.</source>
<translation>Über {count} Paare hat kein Kopf sicher eine Wirkung.</translation>
</message>
<message>
<source>Over {count} pairs {heads}.</source>
<translation>Über {count} Paare: {heads}.</translation>
</message>
<message>
<source>Overview</source>
<translation>Bestandteile</translation>
</message>
<message>
<source>PCA</source>
<translation>PCA</translation>
</message>
<message>
<source>Padding and truncation</source>
<translation>Auffüllen und Abschneiden</translation>
</message>
<message>
<source>Pairs (*.txt *.tsv *.csv *.jsonl *.gz *.xz);;All files (*)</source>
<translation>Paare (*.txt *.tsv *.csv *.jsonl *.gz *.xz);;Alle Dateien (*)</translation>
</message>
<message>
<source>Pairs of texts</source>
<translation>Textpaare</translation>
</message>
<message>
<source>Paper</source>
<translation>Paper</translation>
</message>
<message>
<source>Papers</source>
<translation>Paper</translation>
</message>
<message>
<source>Papers report on {task} ({metric}): {scores}. Compare with care: this model has {count} parameters, has seen other text and, as a rule, other examples. Sources are in Map, Papers.</source>
<translation>Paper berichten zu {task} ({metric}): {scores}. Vorsicht beim Vergleichen: Dieses Modell hat {count} Parameter, hat anderen Text und in der Regel andere Beispiele gesehen. Die Quellen stehen im Überblick unter Paper.</translation>
</message>
<message>
<source>Parameters</source>
<translation>Parameter</translation>
</message>
<message>
<source>Parameters of the selected model, part by part</source>
<translation>Parameter des ausgewählten Modells, Teil für Teil</translation>
</message>
<message>
<source>Parts</source>
<translation>Teile</translation>
</message>
<message>
<source>Parts of speech (CoNLL-2003)</source>
<translation>Wortarten (CoNLL-2003)</translation>
</message>
<message>
<source>Parts of the input embedding: rows are tokens, columns are dimensions</source>
<translation>Teile des Eingabe-Embeddings: Zeilen sind Token, Spalten sind Dimensionen</translation>
</message>
<message>
<source>Parts shown</source>
<translation>Gezeigte Teile</translation>
</message>
<message>
<source>Parts shown: {count} of {parts}</source>
<translation>Gezeigte Teile: {count} von {parts}</translation>
</message>
<message>
<source>Passage</source>
<translation>Abschnitt</translation>
</message>
<message>
<source>Paste or type texts here, one per line</source>
<translation>Texte hier einfügen oder tippen, einen pro Zeile</translation>
</message>
<message>
<source>Path of each token through the layers</source>
<translation>Weg jedes Tokens durch die Schichten</translation>
</message>
<message>
<source>Paths</source>
<translation>Wege</translation>
</message>
<message>
<source>Pause</source>
<translation>Pause</translation>
</message>
<message>
<source>Pause</source>
<comment>of a run</comment>
<translation>Anhalten</translation>
</message>
<message>
<source>Pause the run and train on one batch</source>
<translation>Den Lauf anhalten und mit einem Batch trainieren</translation>
</message>
<message>
<source>Pause the run and train on ten batches, one after the other</source>
<translation>Den Lauf anhalten und mit zehn Batches trainieren, einem nach dem anderen</translation>
</message>
<message>
<source>Pause, and save a snapshot</source>
<translation>Anhalten und einen Snapshot speichern</translation>
</message>
<message>
<source>Paused</source>
<translation>Angehalten</translation>
</message>
<message>
<source>Pearson</source>
<translation>Pearson</translation>
</message>
<message>
<source>Percent</source>
<translation>Prozent</translation>
</message>
<message>
<source>PgUp PgDn: pages</source>
<translation>Bild ↑ ↓: Seiten</translation>
</message>
<message>
<source>Phenomenon</source>
<translation>Phänomen</translation>
</message>
<message>
<source>Phrases in a sentence (CoNLL-2003)</source>
<translation>Phrasen in einem Satz (CoNLL-2003)</translation>
</message>
<message>
<source>Pick the sentences that sum up a text</source>
<translation>Die Sätze auswählen, die einen Text zusammenfassen</translation>
</message>
<message>
<source>Picked sentences</source>
<translation>Ausgewählte Sätze</translation>
</message>
<message>
<source>Picking the best of several runs makes its score look a little better than it is; check it on new examples.</source>
<translation>Wer den besten von mehreren Läufen auswählt, sieht einen etwas zu guten Wert; eine Prüfung an neuen Beispielen zeigt den wahren.</translation>
</message>
<message>
<source>Pin “{token}”</source>
<translation>„{token}“ festhalten</translation>
</message>
<message>
<source>Plain text without blank lines, so each line counts as a document.</source>
<translation>Reiner Text ohne Leerzeilen, deshalb gilt jede Zeile als Dokument.</translation>
</message>
<message>
<source>Plain text: each file is one document.</source>
<translation>Reiner Text: Jede Datei ist ein Dokument.</translation>
</message>
<message>
<source>Plain text: each line is a paragraph, and a blank line ends a document.</source>
<translation>Reiner Text: Jede Zeile ist ein Absatz, und eine Leerzeile beendet ein Dokument.</translation>
</message>
<message>
<source>Play</source>
<translation>Abspielen</translation>
</message>
<message>
<source>Play again</source>
<translation>Wiederholen</translation>
</message>
<message>
<source>Play the training, or stop</source>
<translation>Das Training abspielen oder anhalten</translation>
</message>
<message>
<source>Play: watch the model learn, one snapshot after the other (F5)</source>
<translation>Abspielen: dem Modell beim Lernen zusehen, ein Snapshot nach dem anderen (F5)</translation>
</message>
<message>
<source>Position embedding</source>
<translation>Positions-Embedding</translation>
</message>
<message>
<source>Position embeddings</source>
<translation>Positions-Embeddings</translation>
</message>
<message>
<source>Position {position}</source>
<translation>Position {position}</translation>
</message>
<message>
<source>Positions</source>
<translation>Positionen</translation>
</message>
<message>
<source>Positions and segments</source>
<translation>Positionen und Segmente</translation>
</message>
<message>
<source>Predict</source>
<translation>Vorhersagen</translation>
</message>
<message>
<source>Predicted answer</source>
<translation>Vorhergesagte Antwort</translation>
</message>
<message>
<source>Predicted class</source>
<translation>Vorhergesagte Klasse</translation>
</message>
<message>
<source>Predicted ending</source>
<translation>Vorhergesagter Schluss</translation>
</message>
<message>
<source>Predicted labels</source>
<translation>Vorhergesagte Labels</translation>
</message>
<message>
<source>Predicted number</source>
<translation>Vorhergesagte Zahl</translation>
</message>
<message>
<source>Predicted tags</source>
<translation>Vorhergesagte Tags</translation>
</message>
<message>
<source>Prediction heads</source>
<translation>Ausgabeköpfe</translation>
</message>
<message>
<source>Prediction:</source>
<translation>Vorhersage:</translation>
</message>
<message>
<source>Predictions of the snapshot of step {step}; the model that read this batch at step {at} had learned a little more.</source>
<translation>Vorhersagen des Snapshots von Schritt {step}; das Modell, das diesen Batch bei Schritt {at} gelesen hat, hatte schon etwas mehr gelernt.</translation>
</message>
<message>
<source>Preference</source>
<translation>Vorliebe</translation>
</message>
<message>
<source>Preference: ln p(wanted) − ln p(unwanted); orange: the model prefers the unwanted word.</source>
<translation>Vorliebe: ln p(gewollt) − ln p(ungewollt); orange: Das Modell zieht das ungewollte Wort vor.</translation>
</message>
<message>
<source>Preferred by (bits)</source>
<translation>Vorsprung in Bits</translation>
</message>
<message>
<source>Press Enter, or the remote’s next button, for another game.</source>
<translation>Noch ein Spiel mit Enter oder der Weiter-Taste des Presenters.</translation>
</message>
<message>
<source>Press Enter, or the remote’s next button, to continue.</source>
<translation>Weiter mit Enter oder der Weiter-Taste des Presenters.</translation>
</message>
<message>
<source>Press Score: how surprising, or how likely, is each text?</source>
<translation>„Bewerten“ sagt, wie überraschend oder wahrscheinlich jeder Text ist.</translation>
</message>
<message>
<source>Pretrain</source>
<translation>Vortraining</translation>
</message>
<message>
<source>Previous page of the lesson</source>
<translation>Vorherige Seite der Lektion</translation>
</message>
<message>
<source>Previous pairs</source>
<translation>Vorherige Paare</translation>
</message>
<message>
<source>Previous sentence</source>
<translation>Vorheriger Satz</translation>
</message>
<message>
<source>Probability</source>
<translation>Wahrscheinlichkeit</translation>
</message>
<message>
<source>Probability of each class</source>
<translation>Wahrscheinlichkeit jeder Klasse</translation>
</message>
<message>
<source>Probability of each token of the text, by what became of it</source>
<translation>Wahrscheinlichkeit jedes Tokens des Textes, je nachdem, was daraus wurde</translation>
</message>
<message>
<source>Probability of the word after each layer</source>
<translation>Wahrscheinlichkeit des Wortes nach jeder Schicht</translation>
</message>
<message>
<source>Probability that each token was replaced</source>
<translation>Wahrscheinlichkeit, dass jedes Token ersetzt wurde</translation>
</message>
<message>
<source>Probability that {claim}</source>
<translation>Wahrscheinlichkeit, dass gilt: {claim}</translation>
</message>
<message>
<source>Probability: how sure the model is of this answer; all answers make 1.</source>
<translation>Wahrscheinlichkeit: wie sicher sich das Modell bei dieser Antwort ist; alle Antworten ergeben 1.</translation>
</message>
<message>
<source>Probability: how sure the model is, decided for each one alone.</source>
<translation>Wahrscheinlichkeit: wie sicher sich das Modell ist, für jedes einzeln entschieden.</translation>
</message>
<message>
<source>Processor</source>
<translation>Prozessor</translation>
</message>
<message>
<source>Progress</source>
<translation>Fortschritt</translation>
</message>
<message>
<source>Projector mode</source>
<translation>Beamer-Modus</translation>
</message>
<message>
<source>Published scores: rows are models, columns are tasks with the size of their training set</source>
<translation>Veröffentlichte Werte: Zeilen sind Modelle, Spalten sind Aufgaben mit der Größe ihrer Trainingsdaten</translation>
</message>
<message>
<source>Purple: masked.</source>
<translation>Violett: maskiert.</translation>
</message>
<message>
<source>Put it back</source>
<translation>Zurücklegen</translation>
</message>
<message>
<source>Put the text of the selected row into A and B (double-click)</source>
<translation>Den Text der gewählten Zeile in A und B einsetzen (Doppelklick)</translation>
</message>
<message>
<source>Query</source>
<translation>Query</translation>
</message>
<message>
<source>Query × Key</source>
<translation>Query × Key</translation>
</message>
<message>
<source>Question</source>
<translation>Frage</translation>
</message>
<message>
<source>Questions</source>
<translation>Fragen</translation>
</message>
<message>
<source>Quit</source>
<translation>Beenden</translation>
</message>
<message>
<source>ROUGE-1</source>
<translation>ROUGE-1</translation>
</message>
<message>
<source>ROUGE-2</source>
<translation>ROUGE-2</translation>
</message>
<message>
<source>ROUGE-L</source>
<translation>ROUGE-L</translation>
</message>
<message>
<source>ROUGE-Lsum</source>
<translation>ROUGE-Lsum</translation>
</message>
<message>
<source>Rare words are cut: “{word}” is {pieces}.</source>
<translation>Seltene Wörter werden zerlegt: „{word}“ ist {pieces}.</translation>
</message>
<message>
<source>ReLU where nothing else is said.</source>
<translation>ReLU, wenn nichts anderes gewählt ist.</translation>
</message>
<message>
<source>Read B first, then A</source>
<translation>Erst B lesen, dann A</translation>
</message>
<message>
<source>Read all of B as segment A</source>
<translation>Ganz B als Segment A lesen</translation>
</message>
<message>
<source>Read from the line of {token} alone.</source>
<translation>Nur an der Linie von {token} abgelesen.</translation>
</message>
<message>
<source>Read it as</source>
<translation>Lesen als</translation>
</message>
<message>
<source>Read the question once more.</source>
<translation>Lies die Frage noch einmal.</translation>
</message>
<message>
<source>Read “{token}” as part of segment {segment}</source>
<translation>„{token}“ als Teil von Segment {segment} lesen</translation>
</message>
<message>
<source>Reading the collection…</source>
<translation>Die Sammlung wird gelesen…</translation>
</message>
<message>
<source>Reading the data…</source>
<translation>Die Daten werden gelesen …</translation>
</message>
<message>
<source>Reading the text…</source>
<translation>Der Text wird gelesen…</translation>
</message>
<message>
<source>Red: above 0. Blue: below.</source>
<translation>Rot: über 0. Blau: darunter.</translation>
</message>
<message>
<source>Red: alike vectors</source>
<translation>Rot: ähnliche Vektoren</translation>
</message>
<message>
<source>Red: harder to guess now than {there}. Blue: easier.</source>
<translation>Rot: jetzt schwerer zu raten als {there}. Blau: leichter.</translation>
</message>
<message>
<source>Red: it looks there more than {there}. Blue: less. No colour: no difference.</source>
<translation>Rot: Es schaut mehr dorthin als {there}. Blau: weniger. Keine Farbe: kein Unterschied.</translation>
</message>
<message>
<source>Red: larger now than with {baseline}. Blue: smaller.</source>
<translation>Rot: jetzt größer als mit {baseline}. Blau: kleiner.</translation>
</message>
<message>
<source>Red: more likely now. Blue: less likely. Thicker line: more percentage points.</source>
<translation>Rot: jetzt wahrscheinlicher. Blau: weniger wahrscheinlich. Dickere Linie: mehr Prozentpunkte.</translation>
</message>
<message>
<source>Red: more similar now than with {baseline}. Blue: less similar.</source>
<translation>Rot: jetzt ähnlicher als mit {baseline}. Blau: weniger ähnlich.</translation>
</message>
<message>
<source>Redo</source>
<translation>Wiederherstellen</translation>
</message>
<message>
<source>Redo {action}</source>
<translation>Wiederherstellen: {action}</translation>
</message>
<message>
<source>Removal</source>
<translation>Wegnehmen</translation>
</message>
<message>
<source>Removal: this one link is taken away; the other tokens get its attention. Bar: what the link adds now.</source>
<translation>Wegnehmen: Diese eine Verbindung wird weggenommen; die anderen Token bekommen ihre Attention. Balken: was die Verbindung jetzt beiträgt.</translation>
</message>
<message>
<source>Remove all masks</source>
<translation>Alle Masken entfernen</translation>
</message>
<message>
<source>Remove it from the comparison</source>
<translation>Aus dem Vergleich nehmen</translation>
</message>
<message>
<source>Remove its curves</source>
<translation>Seine Kurven entfernen</translation>
</message>
<message>
<source>Remove the last word filled in</source>
<translation>Das zuletzt eingesetzte Wort entfernen</translation>
</message>
<message>
<source>Remove the mask</source>
<translation>Maske entfernen</translation>
</message>
<message>
<source>Remove this sentence</source>
<translation>Diesen Satz entfernen</translation>
</message>
<message>
<source>Repeat with three seeds</source>
<translation>Mit drei Seeds wiederholen</translation>
</message>
<message>
<source>Replace the masks in the text with these words</source>
<translation>Die Masken im Text durch diese Wörter ersetzen</translation>
</message>
<message>
<source>Replace the text with an example to try</source>
<translation>Den Text durch ein Beispiel zum Ausprobieren ersetzen</translation>
</message>
<message>
<source>Reset</source>
<translation>Zurücksetzen</translation>
</message>
<message>
<source>Reset all changes inside the model</source>
<translation>Alle Änderungen im Modell zurücknehmen</translation>
</message>
<message>
<source>Reset the row</source>
<translation>Zeile zurücksetzen</translation>
</message>
<message>
<source>Residual sum</source>
<translation>Residualsumme</translation>
</message>
<message>
<source>Restore</source>
<translation>Wiederherstellen</translation>
</message>
<message>
<source>Result</source>
<translation>Ergebnis</translation>
</message>
<message>
<source>Resume</source>
<translation>Fortsetzen</translation>
</message>
<message>
<source>Right</source>
<translation>Richtig</translation>
</message>
<message>
<source>Right and wrong answers are not told apart: {right}, {wrong}.</source>
<translation>Richtige und falsche Antworten werden nicht unterschieden: {right}, {wrong}.</translation>
</message>
<message>
<source>Right answer</source>
<translation>Richtige Antwort</translation>
</message>
<message>
<source>Right answers</source>
<translation>Richtige Antworten</translation>
</message>
<message>
<source>Right answers and given ones</source>
<translation>Richtige und gegebene Antworten</translation>
</message>
<message>
<source>Right answers in this batch, and in all examples</source>
<translation>Richtige Antworten in diesem Batch und in allen Beispielen</translation>
</message>
<message>
<source>Right answers with ever fewer parts</source>
<translation>Richtige Antworten mit immer weniger Teilen</translation>
</message>
<message>
<source>Right ending</source>
<translation>Richtiges Ende</translation>
</message>
<message>
<source>Right.</source>
<translation>Richtig.</translation>
</message>
<message>
<source>Right: {answer}</source>
<translation>Richtig: {answer}</translation>
</message>
<message>
<source>Ring around the mouse pointer</source>
<translation>Ring um den Mauszeiger</translation>
</message>
<message>
<source>Rings: the tokens {there}; dotted lines join each pair.</source>
<translation>Ringe: die Token {there}; gepunktete Linien verbinden jedes Paar.</translation>
</message>
<message>
<source>RoBERTa reads running text, without pairs. ALBERT uses one layer over and over.</source>
<translation>RoBERTa liest fortlaufenden Text ohne Satzpaare. ALBERT benutzt eine Schicht immer wieder.</translation>
</message>
<message>
<source>Rollout</source>
<translation>Rollout</translation>
</message>
<message>
<source>Rollout · after layer 1</source>
<translation>Rollout · nach Schicht 1</translation>
</message>
<message>
<source>Rollout · after layers 1–{last}</source>
<translation>Rollout · nach Schicht 1–{last}</translation>
</message>
<message>
<source>Room</source>
<translation>Raum</translation>
</message>
<message>
<source>Rooms</source>
<translation>Räume</translation>
</message>
<message>
<source>Row i of `weights` says how much token i takes of each value: `weights @ value`, without `.T`.</source>
<translation>Zeile i von `weights` sagt, wie viel Token i von jedem Value nimmt: `weights @ value`, ohne `.T`.</translation>
</message>
<message>
<source>Row {row}: training example {number}</source>
<translation>Zeile {row}: Trainingsbeispiel {number}</translation>
</message>
<message>
<source>Row: a layer here. Column: a layer of the baseline, with which you compare. 1: both sort the tokens alike, so that those close together in one are close in the other; 0: they have nothing in common.</source>
<translation>Zeile: eine Schicht hier. Spalte: eine Schicht der Baseline. 1: Beide ordnen die Token gleich an, sodass in der einen nahe beieinanderliegt, was in der anderen nahe ist; 0: Sie haben nichts gemeinsam.</translation>
</message>
<message>
<source>Row: a layer. Column: a part of it; below, the parts outside the layers. Stronger colour: training changed its numbers more (percent of what they were).</source>
<translation>Zeile: eine Schicht. Spalte: ein Teil davon; darunter die Teile außerhalb der Schichten. Kräftigere Farbe: Das Training hat seine Zahlen stärker verändert (Prozent von vorher).</translation>
</message>
<message>
<source>Row: a token. Column: a layer. No colour (0): its numbers are the same in both. Stronger colour: they are further apart (1: nothing in common).</source>
<translation>Zeile: ein Token. Spalte: eine Schicht. Keine Farbe (0): Seine Zahlen sind in beiden gleich. Kräftigere Farbe: Sie liegen weiter auseinander (1: nichts gemeinsam).</translation>
</message>
<message>
<source>Row: a token. Column: a layer. Stronger colour: numbers farther from zero (L2 norm).</source>
<translation>Zeile: ein Token. Spalte: eine Schicht. Kräftigere Farbe: Zahlen weiter weg von null (L2-Norm).</translation>
</message>
<message>
<source>Row: a token. Column: one of its numbers; red is above zero, blue below. The sum is the strips above it, added number by number: all that the model knows before its first layer.</source>
<translation>Zeile: ein Token. Spalte: eine seiner Zahlen; Rot ist über null, Blau darunter. Die Summe sind die Streifen darüber, Zahl für Zahl addiert: alles, was das Modell vor der ersten Schicht weiß.</translation>
</message>
<message>
<source>Row: after this layer. Column: a mask. In the box: the best guess so far. Stronger colour: more certain.</source>
<translation>Zeile: nach dieser Schicht. Spalte: eine Maske. Im Kästchen: der bisher beste Tipp. Kräftigere Farbe: sicherer.</translation>
</message>
<message>
<source>Row: the token that looks. Column: what it looks at. Both in the order of the text. Stronger colour: more.</source>
<translation>Zeile: das Token, das schaut. Spalte: wohin es schaut. Beides in der Reihenfolge des Textes. Kräftigere Farbe: mehr.</translation>
</message>
<message>
<source>Row: the token that looks. Column: what it looks at. Mean of all heads in all layers.</source>
<translation>Zeile: das Token, das hinschaut. Spalte: was es ansieht. Mittel aller Köpfe in allen Schichten.</translation>
</message>
<message>
<source>Row: the token that looks. Column: what it looks at. Stronger colour: more.</source>
<translation>Zeile: das Token, das schaut. Spalte: wohin es schaut. Kräftigere Farbe: mehr.</translation>
</message>
<message>
<source>Row: what looks. Column: what it looks at. Stronger colour: more. Click to open Attend.</source>
<translation>Zeile: was schaut. Spalte: worauf es schaut. Kräftigere Farbe: mehr. Ein Klick öffnet Attention.</translation>
</message>
<message>
<source>Rows and columns have changed places.</source>
<translation>Zeilen und Spalten sind vertauscht.</translation>
</message>
<message>
<source>Rows: guesses by how sure the model was, and how many (grey). Bar: how many are right, with 95% interval. Yellow line: how sure it was on average.</source>
<translation>Zeilen: Tipps, nach Sicherheit des Modells, und ihre Zahl (grau). Balken: wie viele richtig sind, mit 95-%-Intervall. Gelbe Linie: wie sicher es im Mittel war.</translation>
</message>
<message>
<source>Rows: what became of a token, how often, and how likely the model then finds the original. Columns: the tokens of the text; numbers in percent. Hatched: never drawn.</source>
<translation>Zeilen: was aus einem Token wurde, wie oft, und wie wahrscheinlich das Modell dann das ursprüngliche findet. Spalten: die Token des Texts; Zahlen in Prozent. Schraffiert: nie gezogen.</translation>
</message>
<message>
<source>Run the best model on your own text</source>
<translation>Das beste Modell an eigenem Text ausprobieren</translation>
</message>
<message>
<source>Run the model from this step on your own text</source>
<translation>Das Modell dieses Schritts am eigenen Text ausprobieren</translation>
</message>
<message>
<source>Run the model on your own text</source>
<translation>Das Modell auf eigenen Text anwenden</translation>
</message>
<message>
<source>Run the model with this layer passing its input on unchanged</source>
<translation>Das Modell so laufen lassen, dass diese Schicht ihre Eingabe unverändert weitergibt</translation>
</message>
<message>
<source>Run the model without what this head adds</source>
<translation>Das Modell ohne das laufen lassen, was dieser Kopf beiträgt</translation>
</message>
<message>
<source>Run: {name}</source>
<translation>Lauf: {name}</translation>
</message>
<message>
<source>Running</source>
<translation>Läuft</translation>
</message>
<message>
<source>Runs</source>
<translation>Läufe</translation>
</message>
<message>
<source>Runs done: {done} of {of}. They are trained one after the other.</source>
<translation>Fertige Läufe: {done} von {of}. Sie werden nacheinander trainiert.</translation>
</message>
<message>
<source>SHA-256 {digits}</source>
<translation>SHA-256 {digits}</translation>
</message>
<message>
<source>SQuAD’s JSON: passages, each with its questions and answers.</source>
<translation>Das JSON von SQuAD: Abschnitte, jeder mit seinen Fragen und Antworten.</translation>
</message>
<message>
<source>Sample stories</source>
<translation>Beispielgeschichten</translation>
</message>
<message>
<source>Sample: does the verb agree with its subject?</source>
<translation>Beispiel: Passt das Verb zu seinem Subjekt?</translation>
</message>
<message>
<source>Sample: for the task of the model</source>
<translation>Beispiel: zur Aufgabe des Modells</translation>
</message>
<message>
<source>Sample: sentences about four topics</source>
<translation>Beispiel: Sätze zu vier Themen</translation>
</message>
<message>
<source>Sample: sentences with their grammar</source>
<translation>Beispiel: Sätze mit ihrer Grammatik</translation>
</message>
<message>
<source>Sample: stories</source>
<translation>Beispiel: Geschichten</translation>
</message>
<message>
<source>Sample: {topic}</source>
<translation>Beispiel: {topic}</translation>
</message>
<message>
<source>Save a checkpoint without {count}…</source>
<translation>Checkpoint ohne {count} speichern…</translation>
</message>
<message>
<source>Save a lab sheet for a class…</source>
<translation>Arbeitsblatt für eine Klasse speichern…</translation>
</message>
<message>
<source>Save as animation…</source>
<translation>Als Animation speichern…</translation>
</message>
<message>
<source>Save for a paper…</source>
<translation>Für ein Paper speichern …</translation>
</message>
<message>
<source>Save numbers…</source>
<translation>Zahlen speichern…</translation>
</message>
<message>
<source>Save or copy this picture and its numbers</source>
<translation>Dieses Bild und seine Zahlen speichern oder kopieren</translation>
</message>
<message>
<source>Save or copy: {name}</source>
<translation>Speichern oder kopieren: {name}</translation>
</message>
<message>
<source>Save picture…</source>
<translation>Bild speichern…</translation>
</message>
<message>
<source>Save session</source>
<translation>Sitzung speichern</translation>
</message>
<message>
<source>Save session…</source>
<translation>Sitzung speichern…</translation>
</message>
<message>
<source>Save settings</source>
<translation>Einstellungen speichern</translation>
</message>
<message>
<source>Save settings…</source>
<translation>Einstellungen speichern …</translation>
</message>
<message>
<source>Save the answers</source>
<translation>Die Antworten speichern</translation>
</message>
<message>
<source>Save the exercise</source>
<translation>Aufgabe speichern</translation>
</message>
<message>
<source>Save the exercise…</source>
<translation>Aufgabe speichern…</translation>
</message>
<message>
<source>Save this world</source>
<translation>Diese Welt speichern</translation>
</message>
<message>
<source>Save your answers for your teacher</source>
<translation>Die Antworten für die Lehrkraft speichern</translation>
</message>
<message>
<source>Saved in {folder}: open it as any other model.</source>
<translation>In {folder} gespeichert: lässt sich wie jedes andere Modell öffnen.</translation>
</message>
<message>
<source>Saved the figure, its numbers and its caption in {folder}</source>
<translation>Abbildung, Zahlen und Bildunterschrift gespeichert in {folder}</translation>
</message>
<message>
<source>Saved the lab sheet in {folder}</source>
<translation>Arbeitsblatt in {folder} gespeichert</translation>
</message>
<message>
<source>Saved {file}</source>
<translation>{file} gespeichert</translation>
</message>
<message>
<source>Saved {file}. Give it to your teacher.</source>
<translation>{file} gespeichert. Gib die Datei deiner Lehrkraft.</translation>
</message>
<message>
<source>Saved {file}. When the gaps are filled in: bertscope lesson check {file}</source>
<translation>{file} ist gespeichert. Wenn die Lücken gefüllt sind: bertscope lesson --language de check {file}</translation>
</message>
<message>
<source>Saved: {file}</source>
<translation>Gespeichert: {file}</translation>
</message>
<message>
<source>Save…</source>
<translation>Speichern…</translation>
</message>
<message>
<source>Say which meaning the word has in each sentence: click to change it.</source>
<translation>Welche Bedeutung hat das Wort in jedem Satz? Ein Klick ändert sie.</translation>
</message>
<message>
<source>Scaled score</source>
<translation>Skalierter Score</translation>
</message>
<message>
<source>Score</source>
<translation>Score</translation>
</message>
<message>
<source>Score</source>
<comment>verb</comment>
<translation>Bewerten</translation>
</message>
<message>
<source>Score pairs of texts</source>
<translation>Textpaare bewerten</translation>
</message>
<message>
<source>Score: {ours} in this text, {other} in the other.</source>
<translation>Score: {ours} in diesem Text, {other} im anderen.</translation>
</message>
<message>
<source>Scores are for single tokens, including special tokens, whatever the other pictures show.</source>
<translation>Scores gelten für einzelne Token, auch Spezialtoken, was auch immer die anderen Bilder zeigen.</translation>
</message>
<message>
<source>Scores of many texts</source>
<translation>Bewertung vieler Texte</translation>
</message>
<message>
<source>Scroll area</source>
<translation>Bildlaufbereich</translation>
</message>
<message>
<source>Search</source>
<translation>Suchen</translation>
</message>
<message>
<source>Search in the examples</source>
<translation>In den Beispielen suchen</translation>
</message>
<message>
<source>See how the padding mask hides them</source>
<translation>Zeigt, wie die Padding-Maske sie verdeckt</translation>
</message>
<message>
<source>See its heads</source>
<translation>Köpfe ansehen</translation>
</message>
<message>
<source>See the whole model</source>
<translation>Ganzes Modell ansehen</translation>
</message>
<message>
<source>See what training changed: all pictures show its last step beside its first</source>
<translation>Was das Training verändert hat: Alle Bilder zeigen den letzten Schritt neben dem ersten</translation>
</message>
<message>
<source>Seed</source>
<translation>Seed</translation>
</message>
<message>
<source>Segment embedding</source>
<translation>Segment-Embedding</translation>
</message>
<message>
<source>Segment {letter}</source>
<translation>Segment {letter}</translation>
</message>
<message>
<source>Segments</source>
<translation>Segmente</translation>
</message>
<message>
<source>Segments A and B</source>
<translation>Segmente A und B</translation>
</message>
<message>
<source>Select it</source>
<translation>Auswählen</translation>
</message>
<message numerus="yes">
<source>Select the first %n</source>
<translation>
<numerusform>Den ersten auswählen</numerusform>
<numerusform>Die ersten %n auswählen</numerusform>
</translation>
</message>
<message>
<source>Select these heads for Lines and the mean</source>
<translation>Diese Köpfe für Linien und Mittel auswählen</translation>
</message>
<message>
<source>Select {head}</source>
<translation>{head} auswählen</translation>
</message>
<message>
<source>Send the text through the model (Space: pause · ← →: step · Esc: end)</source>
<translation>Den Text durch das Modell schicken (Leertaste: Pause · ← →: Schritt · Esc: Ende)</translation>
</message>
<message>
<source>Sentence</source>
<translation>Satz</translation>
</message>
<message>
<source>Sentence length in tokens</source>
<translation>Länge der Sätze in Tokens</translation>
</message>
<message>
<source>Sentence pairs</source>
<translation>Satzpaare</translation>
</message>
<message>
<source>Sentence pairs to start from</source>
<translation>Satzpaare für den Anfang</translation>
</message>
<message>
<source>Sentence with a [MASK] to predict at every snapshot</source>
<translation>Satz mit einem [MASK], das bei jedem Snapshot vorhergesagt wird</translation>
</message>
<message>
<source>Sentence {mark}</source>
<translation>Satz {mark}</translation>
</message>
<message>
<source>Sentence {number}</source>
<translation>Satz {number}</translation>
</message>
<message>
<source>Sentence {round} of {rounds} · Class {class_points} : {model_points} Model</source>
<translation>Satz {round} von {rounds} · Klasse {class_points} : {model_points} Modell</translation>
</message>
<message>
<source>Sentences (*.txt *.conllu *.gz *.xz);;All files (*)</source>
<translation>Sätze (*.txt *.conllu *.gz *.xz);;Alle Dateien (*)</translation>
</message>
<message>
<source>Sentences in text order</source>
<translation>Sätze in der Reihenfolge des Textes</translation>
</message>
<message>
<source>Sentiment</source>
<translation>Stimmung</translation>
</message>
<message>
<source>Sentiment of a sentence (SST-2)</source>
<translation>Stimmung eines Satzes (SST-2)</translation>
</message>
<message>
<source>Sequence {number}</source>
<translation>Sequenz {number}</translation>
</message>
<message>
<source>Set the score to a very low number where `allowed` is False, such as -1e9.</source>
<translation>Den Score sehr klein machen, wo `allowed` False ist, etwa -1e9.</translation>
</message>
<message>
<source>Settings (*.json)</source>
<translation>Einstellungen (*.json)</translation>
</message>
<message>
<source>Share of each relation that each head finds: rows are relations, columns are heads</source>
<translation>Anteil jeder Beziehung, den jeder Kopf findet: Zeilen sind Beziehungen, Spalten Köpfe</translation>
</message>
<message>
<source>Share of each token’s attention, or smallest weight, in percent</source>
<translation>Anteil der Attention jedes Tokens oder kleinstes Gewicht, in Prozent</translation>
</message>
<message>
<source>Share of pairs in which the model prefers the right sentence, by phenomenon</source>
<translation>Anteil der Paare, bei denen das Modell den richtigen Satz bevorzugt, nach Phänomen</translation>
</message>
<message>
<source>Share of right answers by how sure the model was</source>
<translation>Anteil richtiger Antworten danach, wie sicher sich das Modell war</translation>
</message>
<message>
<source>Share of right answers in slices of the examples</source>
<translation>Anteil richtiger Antworten in Teilen der Beispiele</translation>
</message>
<message>
<source>Share of the difference lost by a part at one token alone</source>
<translation>Anteil des Unterschieds, der durch einen Teil an nur einem Token verloren geht</translation>
</message>
<message>
<source>Share of the difference that each head carries: rows are layers, columns are heads</source>
<translation>Anteil des Unterschieds, den jeder Kopf trägt: Zeilen sind Schichten, Spalten Köpfe</translation>
</message>
<message>
<source>Share of the difference that each place carries: rows are layers, columns are tokens</source>
<translation>Anteil des Unterschieds, den jede Stelle trägt: Zeilen sind Schichten, Spalten Token</translation>
</message>
<message>
<source>Share of tokens to guess</source>
<translation>Anteil der Token, die zu erraten sind</translation>
</message>
<message>
<source>Share right with its interval. Yellow line: of all others. Grey: may be chance.</source>
<translation>Anteil der richtigen mit Intervall. Gelbe Linie: bei allen anderen. Grau: kann Zufall sein.</translation>
</message>
<message>
<source>Share: only what points in the sum’s direction counts, p·x / |x|² of a part p and the sum x</source>
<translation>Anteil: Nur was in die Richtung der Summe zeigt, zählt, p·x / |x|² eines Teils p und der Summe x</translation>
</message>
<message>
<source>Shares go from 0 to 1: for 10 percentage points, write 0.1.</source>
<translation>Anteile gehen von 0 bis 1: Für 10 Prozentpunkte 0.1 schreiben.</translation>
</message>
<message>
<source>Show all</source>
<translation>Alles zeigen</translation>
</message>
<message>
<source>Show an example</source>
<translation>Beispiel zeigen</translation>
</message>
<message>
<source>Show answer</source>
<translation>Antwort zeigen</translation>
</message>
<message>
<source>Show less</source>
<translation>Weniger</translation>
</message>
<message>
<source>Show only the baseline while this button or X is held</source>
<translation>Nur die Baseline zeigen, solange dieser Knopf oder X gehalten wird</translation>
</message>
<message>
<source>Show or hide more settings of the run</source>
<translation>Weitere Einstellungen des Laufs zeigen oder verbergen</translation>
</message>
<message>
<source>Show or hide special tokens</source>
<translation>Spezialtoken ein- oder ausblenden</translation>
</message>
<message>
<source>Show the answer</source>
<translation>Antwort zeigen</translation>
</message>
<message>
<source>Show the difference</source>
<translation>Den Unterschied zeigen</translation>
</message>
<message>
<source>Show the difference, or both side by side</source>
<translation>Den Unterschied zeigen oder beide nebeneinander</translation>
</message>
<message>
<source>Show the log</source>
<translation>Protokoll zeigen</translation>
</message>
<message>
<source>Show the pieces of a word as one</source>
<translation>Die Stücke eines Wortes als eines zeigen</translation>
</message>
<message>
<source>Show the special tokens</source>
<translation>Die Spezialtoken zeigen</translation>
</message>
<message>
<source>Show what differs, or both side by side (D)</source>
<translation>Zeigen, was sich unterscheidet, oder beide nebeneinander (D)</translation>
</message>
<message>
<source>Show whole words or tokens</source>
<translation>Ganze Wörter oder Token zeigen</translation>
</message>
<message>
<source>Show:</source>
<translation>Zeigen:</translation>
</message>
<message>
<source>Similar</source>
<translation>Ähnlich</translation>
</message>
<message>
<source>Similarity</source>
<translation>Ähnlichkeit</translation>
</message>
<message>
<source>Similarity of A and B</source>
<translation>Ähnlichkeit von A und B</translation>
</message>
<message>
<source>Similarity of the other tokens to the selected one, the highest first</source>
<translation>Ähnlichkeit der anderen Token mit dem gewählten, die höchste zuerst</translation>
</message>
<message>
<source>Size of each hidden state</source>
<translation>Größe jedes Hidden States</translation>
</message>
<message>
<source>Size of each hidden state: rows are tokens, columns are layers</source>
<translation>Größe jedes Hidden States: Zeilen sind Token, Spalten sind Schichten</translation>
</message>
<message>
<source>Size of what is added</source>
<translation>Größe des Hinzugefügten</translation>
</message>
<message>
<source>Skip this layer</source>
<translation>Schicht überspringen</translation>
</message>
<message>
<source>Skip this one (↓)</source>
<translation>Diesen überspringen (↓)</translation>
</message>
<message>
<source>Slow motion</source>
<translation>Zeitlupe</translation>
</message>
<message numerus="yes">
<source>Slow motion: {lower} of %n step(s) lowered the loss on their own batch.</source>
<translation>
<numerusform>Zeitlupe: {lower} von %n Schritt hat den Loss des eigenen Batches gesenkt.</numerusform>
<numerusform>Zeitlupe: {lower} von %n Schritten haben den Loss des eigenen Batches gesenkt.</numerusform>
</translation>
</message>
<message>
<source>Small enough for a class to watch it learn. It is trained, and ships with BERTscope.</source>
<translation>Klein genug, um ihm im Unterricht beim Lernen zuzusehen. Es ist trainiert und in BERTscope enthalten.</translation>
</message>
<message>
<source>Smaller still; the steps of its training are kept</source>
<translation>Noch kleiner; die Schritte seines Trainings sind aufbewahrt</translation>
</message>
<message>
<source>Smooth: each point as the mean of the points around it</source>
<translation>Glätten: jeder Punkt als Mittel der Punkte um ihn herum</translation>
</message>
<message>
<source>Snapshots</source>
<translation>Snapshots</translation>
</message>
<message>
<source>Snapshots of the run appear here: the model as it was at that step.</source>
<translation>Hier erscheinen die Snapshots des Laufs: das Modell, wie es bei diesem Schritt war.</translation>
</message>
<message>
<source>So far, {settings} is best: {figure}.</source>
<translation>Bisher ist {settings} am besten: {figure}.</translation>
</message>
<message>
<source>Softmax</source>
<translation>Softmax</translation>
</message>
<message>
<source>Softmax turns scores into shares: “{best}” gets {weight} of the attention of “{token}”.</source>
<translation>Softmax macht aus Scores Anteile: „{best}“ bekommt {weight} der Attention von „{token}“.</translation>
</message>
<message>
<source>Solution: {answer}</source>
<translation>Lösung: {answer}</translation>
</message>
<message>
<source>Some of the attention goes to padding.</source>
<translation>Ein Teil der Attention geht an das Padding.</translation>
</message>
<message>
<source>Some of the attention goes to padding: a score of 0 is not low, e to the power of 0 is 1.</source>
<translation>Ein Teil der Attention geht an das Padding: Ein Score von 0 ist nicht klein, e hoch 0 ist 1.</translation>
</message>
<message>
<source>Some of the words to predict are not hidden: real text has no [MASK], so the model must not rely on it, and cannot take any word for granted.</source>
<translation>Ein paar gesuchte Wörter sind nicht verdeckt: Echter Text hat kein [MASK], also darf sich das Modell nicht darauf verlassen und kann keinem Wort blind trauen.</translation>
</message>
<message>
<source>Something unexpected went wrong ({error}). You can keep working.</source>
<translation>Etwas Unerwartetes ist schiefgegangen ({error}). Weiterarbeiten ist möglich.</translation>
</message>
<message>
<source>Something you switched off or edited changed this number, so its parts do not add up to it.</source>
<translation>Etwas Abgeschaltetes oder Bearbeitetes hat diese Zahl verändert, deshalb ergeben ihre Teile sie nicht.</translation>
</message>
<message>
<source>Sometimes a few heads and feed-forward networks do most of the work, sometimes many together. Which ones made this answer, and what do they tell each other? Compare with a text of the same length that gets another answer.</source>
<translation>Manchmal leisten wenige Köpfe und Feed-Forward-Netze das meiste, manchmal viele zusammen. Welche haben diese Antwort gemacht, und was teilen sie einander mit? Mit einem gleich langen Text vergleichen, der eine andere Antwort bekommt.</translation>
</message>
<message>
<source>Somewhat similar</source>
<translation>Etwas ähnlich</translation>
</message>
<message>
<source>Sort by kind</source>
<translation>Nach Art</translation>
</message>
<message>
<source>Sort the heads by what they do</source>
<translation>Die Köpfe nach dem ordnen, was sie tun</translation>
</message>
<message>
<source>Speaker notes</source>
<translation>Notizen für die Lehrkraft</translation>
</message>
<message>
<source>Spearman</source>
<translation>Spearman</translation>
</message>
<message>
<source>Special tokens</source>
<translation>Spezialtoken</translation>
</message>
<message>
<source>Special tokens are hidden, and there is no word yet. Type one above, or show special tokens.</source>
<translation>Spezialtoken sind ausgeblendet, und es gibt noch kein Wort. Oben eines eintippen oder Spezialtoken einblenden.</translation>
</message>
<message>
<source>Special tokens are not shown.</source>
<translation>Spezialtoken werden nicht gezeigt.</translation>
</message>
<message>
<source>Speed</source>
<translation>Tempo</translation>
</message>
<message>
<source>Split differently (marked): {count} of {total} words.</source>
<translation>Verschieden zerlegt (markiert): {count} von {total} Wörtern.</translation>
</message>
<message>
<source>Start</source>
<translation>Starten</translation>
</message>
<message>
<source>Start from</source>
<translation>Beginnen mit</translation>
</message>
<message>
<source>Start over</source>
<translation>Von vorn</translation>
</message>
<message>
<source>Start the tour</source>
<translation>Rundgang starten</translation>
</message>
<message>
<source>Starting</source>
<translation>Startet</translation>
</message>
<message>
<source>Starts with every word masked and brings them all back, little by little: how much does each word add?</source>
<translation>Beginnt mit lauter maskierten Wörtern und bringt alle nach und nach zurück: Wie viel trägt jedes Wort bei?</translation>
</message>
<message>
<source>Status</source>
<translation>Status</translation>
</message>
<message>
<source>Step</source>
<translation>Schritt</translation>
</message>
<message>
<source>Step by step</source>
<translation>Schritt für Schritt</translation>
</message>
<message>
<source>Step through the snapshots one by one</source>
<translation>Die Snapshots einen nach dem anderen zeigen</translation>
</message>
<message>
<source>Step whose batch is shown</source>
<translation>Schritt, dessen Batch zu sehen ist</translation>
</message>
<message>
<source>Step {number}: {title}, {formula}, {shape}</source>
<translation>Schritt {number}: {title}, {formula}, {shape}</translation>
</message>
<message>
<source>Step {step}. This batch: loss {before} before, {after} after. Learning rate {rate}, gradient norm {norm}.</source>
<translation>Schritt {step}. Dieser Batch: Loss {before} vorher, {after} nachher. Lernrate {rate}, Gradientennorm {norm}.</translation>
</message>
<message>
<source>Step {step}: the loss on its batch went from {before} to {after}. Click to see the batch.</source>
<translation>Schritt {step}: Der Loss seines Batches ging von {before} auf {after}. Ein Klick zeigt den Batch.</translation>
</message>
<message>
<source>Steps</source>
<translation>Schritte</translation>
</message>
<message>
<source>Stop</source>
<translation>Beenden</translation>
</message>
<message>
<source>Stop all</source>
<translation>Alle stoppen</translation>
</message>
<message>
<source>Stop computing</source>
<translation>Berechnung abbrechen</translation>
</message>
<message>
<source>Stop playing</source>
<translation>Nicht mehr abspielen</translation>
</message>
<message>
<source>Stop playing (Escape): what was open before comes back</source>
<translation>Abspielen beenden (Escape): Was vorher offen war, kommt zurück</translation>
</message>
<message>
<source>Stop the run that is training, and do not start the others</source>
<translation>Den laufenden Lauf stoppen und die anderen nicht beginnen</translation>
</message>
<message>
<source>Stopped</source>
<translation>Beendet</translation>
</message>
<message>
<source>Stopped at step {step}.</source>
<translation>Bei Schritt {step} angehalten.</translation>
</message>
<message>
<source>Stopped while it was starting.</source>
<translation>Beim Starten abgebrochen.</translation>
</message>
<message>
<source>Stopped.</source>
<translation>Abgebrochen.</translation>
</message>
<message>
<source>Striped: nothing to compare with in {baseline}.</source>
<translation>Gestreift: in {baseline} gibt es nichts zum Vergleichen.</translation>
</message>
<message>
<source>Strong by every method (a third of the strongest, or more): {names}.</source>
<translation>Stark nach jedem Verfahren (ein Drittel des stärksten oder mehr): {names}.</translation>
</message>
<message>
<source>Strongest</source>
<translation>Stärkste</translation>
</message>
<message>
<source>Subtract the mean of each row before you divide.</source>
<translation>Vor dem Teilen den Mittelwert jeder Zeile abziehen.</translation>
</message>
<message>
<source>Such a head cannot tell tokens apart, so the model learns little from context.</source>
<translation>Ein solcher Kopf kann Tokens nicht unterscheiden; das Modell lernt so wenig aus dem Kontext.</translation>
</message>
<message>
<source>Such large steps jump past good weights instead of getting closer to them.</source>
<translation>So große Schritte springen an guten Gewichten vorbei, statt ihnen näher zu kommen.</translation>
</message>
<message>
<source>Summarise</source>
<translation>Zusammenfassen</translation>
</message>
<message>
<source>Sure</source>
<translation>Sicher</translation>
</message>
<message>
<source>Surprise</source>
<translation>Überraschung</translation>
</message>
<message>
<source>Surprise of each word</source>
<translation>Überraschung jedes Worts</translation>
</message>
<message>
<source>Surprise per token</source>
<translation>Überraschung je Token</translation>
</message>
<message>
<source>Swap A and B</source>
<translation>A und B vertauschen</translation>
</message>
<message>
<source>Swap in</source>
<translation>Austauschen</translation>
</message>
<message>
<source>Swap in from the other text</source>
<translation>Mit dem anderen Text austauschen</translation>
</message>
<message>
<source>Swap positions</source>
<translation>Positionen tauschen</translation>
</message>
<message>
<source>Swap with the baseline</source>
<translation>Mit der Baseline tauschen</translation>
</message>
<message>
<source>Swapped in: {what}  ×</source>
<translation>Ausgetauscht: {what}  ×</translation>
</message>
<message>
<source>Switch head {head} off</source>
<translation>Kopf {head} abschalten</translation>
</message>
<message>
<source>Switch head {head} on again</source>
<translation>Kopf {head} wieder einschalten</translation>
</message>
<message>
<source>Switch off: add its mean</source>
<translation>Abschalten: seinen Mittelwert hinzufügen</translation>
</message>
<message>
<source>Switch off: add nothing</source>
<translation>Abschalten: nichts hinzufügen</translation>
</message>
<message>
<source>Switched off, so it has no effect.</source>
<translation>Abgeschaltet, also ohne Wirkung.</translation>
</message>
<message>
<source>Switched off: it adds nothing.</source>
<translation>Abgeschaltet: Er fügt nichts hinzu.</translation>
</message>
<message>
<source>Switched off: {heads}</source>
<translation>Abgeschaltet: {heads}</translation>
</message>
<message>
<source>Switching it off changes nothing that can be measured.</source>
<translation>Das Abschalten ändert nichts Messbares.</translation>
</message>
<message>
<source>Tag the words in a text</source>
<translation>Die Wörter eines Textes taggen</translation>
</message>
<message>
<source>Tag words</source>
<translation>Wörter taggen</translation>
</message>
<message>
<source>Tags</source>
<translation>Tags</translation>
</message>
<message>
<source>Tags read off</source>
<translation>Abgelesene Tags</translation>
</message>
<message>
<source>Tags, separated by commas</source>
<translation>Schlagwörter, durch Kommas getrennt</translation>
</message>
<message>
<source>Take 15% of how many words there are: `(~is_special).sum()`.</source>
<translation>15 % der Zahl der Wörter nehmen: `(~is_special).sum()`.</translation>
</message>
<message>
<source>Take one step at a time and see how it changes the weights and the loss on its own batch.</source>
<translation>Schritt für Schritt ist zu sehen, wie sich die Gewichte ändern und der Loss des eigenen Batches.</translation>
</message>
<message>
<source>Take the softmax of each row: e to the power of each score, divided by the sum of the row.</source>
<translation>Von jeder Zeile die Softmax nehmen: e hoch jeden Score, geteilt durch die Summe der Zeile.</translation>
</message>
<message>
<source>Taken evenly from the teacher’s; usually half of them.</source>
<translation>Gleichmäßig aus denen des Lehrers genommen; gewöhnlich die Hälfte.</translation>
</message>
<message>
<source>Teacher</source>
<translation>Lehrer</translation>
</message>
<message>
<source>Temperature</source>
<translation>Temperatur</translation>
</message>
<message>
<source>Ten steps</source>
<translation>Zehn Schritte</translation>
</message>
<message>
<source>Ten-second demo</source>
<translation>Zehn-Sekunden-Vorführung</translation>
</message>
<message>
<source>Test these pairs</source>
<translation>Diese Paare prüfen</translation>
</message>
<message>
<source>Text</source>
<translation>Text</translation>
</message>
<message>
<source>Text (*.txt *.md *.jsonl *.gz *.xz *.zst);;All files (*)</source>
<translation>Text (*.txt *.md *.jsonl *.gz *.xz *.zst);;Alle Dateien (*)</translation>
</message>
<message>
<source>Text (point at it: the other one)</source>
<translation>Text (darauf zeigen: der andere)</translation>
</message>
<message>
<source>Text A</source>
<translation>Text A</translation>
</message>
<message>
<source>Text B</source>
<translation>Text B</translation>
</message>
<message>
<source>Text before the first page; begin a page with “# Title”.</source>
<translation>Text vor der ersten Seite; eine Seite beginnt mit „# Titel“.</translation>
</message>
<message>
<source>Text of the lesson</source>
<translation>Text der Lektion</translation>
</message>
<message>
<source>Texts (*.txt *.tsv *.jsonl *.gz *.xz);;All files (*)</source>
<translation>Texte (*.txt *.tsv *.jsonl *.gz *.xz);;Alle Dateien (*)</translation>
</message>
<message>
<source>Texts to score</source>
<translation>Texte zum Bewerten</translation>
</message>
<message>
<source>Texts, one per line</source>
<translation>Texte, einer pro Zeile</translation>
</message>
<message>
<source>That is added to what “{token}” was before; it is {added} as large.</source>
<translation>Das wird zu dem addiert, was „{token}“ vorher war; es ist {added} so groß.</translation>
</message>
<message>
<source>That is added, too. “{token}” leaves the layer changed: cosine {same} with what came in (1: unchanged).</source>
<translation>Auch das wird addiert. „{token}“ verlässt die Schicht verändert: Kosinus {same} mit dem, was hereinkam (1: unverändert).</translation>
</message>
<message>
<source>That is added, too; it is {fed} as large as what was there.</source>
<translation>Auch das wird addiert; es ist {fed} so groß wie das, was da war.</translation>
</message>
<message>
<source>That is right for 80% of them. 10% become a random word, 10% stay: the model must not rely on [MASK] being there.</source>
<translation>Das stimmt für 80 %. 10 % werden ein Zufallswort, 10 % bleiben: Das Modell darf sich nicht auf [MASK] verlassen.</translation>
</message>
<message numerus="yes">
<source>The %Ln term(s), largest first</source>
<translation>
<numerusform>Der %Ln Summand</numerusform>
<numerusform>Die %Ln Summanden, der größte zuerst</numerusform>
</translation>
</message>
<message>
<source>The answer during fine-tuning</source>
<translation>Die Antwort während des Feintunings</translation>
</message>
<message>
<source>The answer in a passage (SQuAD 1.1)</source>
<translation>Die Antwort in einem Text (SQuAD 1.1)</translation>
</message>
<message>
<source>The answer in a passage, if it has one (SQuAD 2.0)</source>
<translation>Die Antwort in einem Text, wenn es eine gibt (SQuAD 2.0)</translation>
</message>
<message>
<source>The answer to a number question has to be a number.</source>
<translation>Die Antwort auf eine Zahlenfrage muss eine Zahl sein.</translation>
</message>
<message>
<source>The answers are mixed into {size} numbers again: what feed-forward adds to “{token}”.</source>
<translation>Die Antworten werden wieder zu {size} Zahlen gemischt: was Feed-Forward zu „{token}“ addiert.</translation>
</message>
<message>
<source>The answers are numbers, not labels.</source>
<translation>Die Antworten sind Zahlen, keine Labels.</translation>
</message>
<message>
<source>The baseline has no such token.</source>
<translation>Im Vergleich gibt es kein solches Token.</translation>
</message>
<message>
<source>The batch</source>
<translation>Der Batch</translation>
</message>
<message>
<source>The batch that this step trained on</source>
<translation>Der Batch, mit dem dieser Schritt trainiert hat</translation>
</message>
<message>
<source>The batches before it: what was chosen at random, and what the settings ask for</source>
<translation>Die Batches davor: was zufällig gewählt wurde und was die Einstellungen verlangen</translation>
</message>
<message>
<source>The best span scores {score}, “no answer” {no_answer}, {lead} more.</source>
<translation>Die beste Stelle hat den Wert {score}, „keine Antwort“ {no_answer}, {lead} mehr.</translation>
</message>
<message>
<source>The best span scores {score}, “no answer” {no_answer}: a lead of {lead}.</source>
<translation>Die beste Stelle hat den Wert {score}, „keine Antwort“ {no_answer}: ein Vorsprung von {lead}.</translation>
</message>
<message>
<source>The change, then the surprise in the baseline and now. Click a word to select it.</source>
<translation>Die Änderung, dann die Überraschung in der Baseline und jetzt. Ein Klick wählt das Wort.</translation>
</message>
<message>
<source>The class</source>
<translation>Die Klasse</translation>
</message>
<message>
<source>The class guesses a hidden word, then the model: who knows more words?</source>
<translation>Die Klasse rät ein verdecktes Wort, dann das Modell: Wer kennt mehr Wörter?</translation>
</message>
<message numerus="yes">
<source>The class: %n point(s)</source>
<translation>
<numerusform>Die Klasse: %n Punkt</numerusform>
<numerusform>Die Klasse: %n Punkte</numerusform>
</translation>
</message>
<message>
<source>The column {column} is chosen twice; choose each column once.</source>
<translation>Die Spalte {column} ist zweimal gewählt; jede Spalte nur einmal wählen.</translation>
</message>
<message>
<source>The columns add up to 1, not the rows.</source>
<translation>Die Spalten ergeben 1, nicht die Zeilen.</translation>
</message>
<message>
<source>The columns have mean 0, not the rows.</source>
<translation>Die Spalten haben den Mittelwert 0, nicht die Zeilen.</translation>
</message>
<message>
<source>The columns of [PAD] are empty: no token looks at padding. The rows of [PAD] are computed, but no token uses them. Switch the attention mask off to see what it prevents.</source>
<translation>Die Spalten von [PAD] sind leer: Kein Token sieht dorthin. Die Zeilen von [PAD] werden berechnet, aber kein Token benutzt sie. Die Attention-Maske ausschalten zeigt, was sie verhindert.</translation>
</message>
<message>
<source>The data has to be corrected first: see “Before you start”.</source>
<translation>Zuerst müssen die Daten berichtigt werden: siehe „Vor dem Start“.</translation>
</message>
<message>
<source>The difference grows by {share} when this part alone gives its output on the other text.</source>
<translation>Der Unterschied wächst um {share}, wenn nur dieser Teil seine Ausgabe beim anderen Text gibt.</translation>
</message>
<message>
<source>The difference grows by {share} when {receiver} alone reads what {sender} outputs on the other text.</source>
<translation>Der Unterschied wächst um {share}, wenn nur {receiver} liest, was {sender} beim anderen Text ausgibt.</translation>
</message>
<message>
<source>The difference: between “{first}” here and in the other text.</source>
<translation>Der Unterschied: zwischen „{first}“ hier und im anderen Text.</translation>
</message>
<message>
<source>The difference: how much better “{first}” does against “{second}” here than in the other text.</source>
<translation>Der Unterschied: wie viel besser „{first}“ hier gegen „{second}“ abschneidet als im anderen Text.</translation>
</message>
<message>
<source>The distance itself: large parts move further</source>
<translation>Die Strecke selbst: Große Teile bewegen sich weiter</translation>
</message>
<message>
<source>The endings</source>
<translation>Die Schlüsse</translation>
</message>
<message>
<source>The examples</source>
<translation>Die Beispiele</translation>
</message>
<message>
<source>The family</source>
<translation>Die Familie</translation>
</message>
<message>
<source>The file could not be opened: {reason}.</source>
<translation>Die Datei ließ sich nicht öffnen: {reason}.</translation>
</message>
<message>
<source>The file is larger than {size} kB, the most that a lesson may have.</source>
<translation>Die Datei ist größer als {size} kB, mehr darf eine Lektion nicht haben.</translation>
</message>
<message>
<source>The file is not text in UTF-8; save it as a text file.</source>
<translation>Die Datei ist kein Text in UTF-8; als Textdatei speichern.</translation>
</message>
<message>
<source>The file is not text: it has a zero byte.</source>
<translation>Die Datei ist kein Text: Sie enthält ein Nullbyte.</translation>
</message>
<message>
<source>The file {file} is missing; install BERTscope again.</source>
<translation>Die Datei {file} fehlt; BERTscope neu installieren.</translation>
</message>
<message>
<source>The final hidden state of “{token}” has a cosine of {cosine} with what it was before.</source>
<translation>Der letzte Hidden State von „{token}“ hat einen Kosinus von {cosine} mit dem, was er vorher war.</translation>
</message>
<message>
<source>The first examples</source>
<translation>Die ersten Beispiele</translation>
</message>
<message>
<source>The first lines are ---, title:, minutes:, summary: and --- again.</source>
<translation>Die ersten Zeilen sind ---, title:, minutes:, summary: und wieder ---.</translation>
</message>
<message>
<source>The first page needs a text and a room.</source>
<translation>Die erste Seite braucht text und room.</translation>
</message>
<message>
<source>The first picture appears when the run has begun.</source>
<translation>Das erste Bild erscheint, sobald der Lauf begonnen hat.</translation>
</message>
<message>
<source>The first run is training.</source>
<translation>Der erste Lauf wird trainiert.</translation>
</message>
<message>
<source>The first token gets row 0 of `position_table`, the next row 1: whichever words they are.</source>
<translation>Das erste Token bekommt Zeile 0 von `position_table`, das nächste Zeile 1: welche Wörter es auch sind.</translation>
</message>
<message>
<source>The first token gets row 0 of `position_table`.</source>
<translation>Das erste Token bekommt Zeile 0 von `position_table`.</translation>
</message>
<message>
<source>The folder cannot be read: {reason}.</source>
<translation>Der Ordner kann nicht gelesen werden: {reason}.</translation>
</message>
<message>
<source>The folder of a fine-tuned model, or of a run</source>
<translation>Der Ordner eines feingetunten Modells oder eines Laufs</translation>
</message>
<message>
<source>The form, filled in with the settings of the best run</source>
<translation>Das Formular, ausgefüllt mit den Einstellungen des besten Laufs</translation>
</message>
<message>
<source>The format of the file</source>
<translation>Das Format der Datei</translation>
</message>
<message>
<source>The guess of the class</source>
<translation>Der Tipp der Klasse</translation>
</message>
<message>
<source>The half-trained model</source>
<translation>Das halb trainierte Modell</translation>
</message>
<message>
<source>The head reads the line of each token.</source>
<translation>Der Ausgabekopf liest die Linie jedes Tokens.</translation>
</message>
<message>
<source>The head whose queries, keys, values and scores are shown</source>
<translation>Der Kopf, dessen Querys, Keys, Values und Scores gezeigt werden</translation>
</message>
<message>
<source>The held-out examples come from {file}.</source>
<translation>Die ungesehenen Beispiele stammen aus {file}.</translation>
</message>
<message>
<source>The highest rate was best: an even higher one may do better.</source>
<translation>Die höchste Rate war am besten: Eine noch höhere ist vielleicht besser.</translation>
</message>
<message>
<source>The larger BERT: for graphics cards.</source>
<translation>Das größere BERT: für Grafikkarten.</translation>
</message>
<message numerus="yes">
<source>The last %n batch(es)</source>
<translation>
<numerusform>Der letzte Batch</numerusform>
<numerusform>Die letzten %n Batches</numerusform>
</translation>
</message>
<message numerus="yes">
<source>The last %n sentence(s) were not read: the text is too long.</source>
<translation>
<numerusform>Der letzte Satz wurde nicht gelesen: Der Text ist zu lang.</numerusform>
<numerusform>Die letzten %n Sätze wurden nicht gelesen: Der Text ist zu lang.</numerusform>
</translation>
</message>
<message numerus="yes">
<source>The last %n word(s) were not read: the text is too long.</source>
<translation>
<numerusform>Das letzte Wort wurde nicht gelesen: Der Text ist zu lang.</numerusform>
<numerusform>Die letzten %n Wörter wurden nicht gelesen: Der Text ist zu lang.</numerusform>
</translation>
</message>
<message>
<source>The last LayerNorm, after all layers: this is what the predictions are made from.</source>
<translation>Das letzte LayerNorm, nach allen Schichten: Daraus werden die Vorhersagen gemacht.</translation>
</message>
<message>
<source>The last brackets: the answer here / in the other text.</source>
<translation>Letzte Klammer: die Antwort hier / im anderen Text.</translation>
</message>
<message>
<source>The last layer here is most like layers {layers} of the baseline ({value} of 1).</source>
<translation>Die letzte Schicht hier gleicht am meisten den Schichten {layers} der Baseline ({value} von 1).</translation>
</message>
<message>
<source>The last layer here is most like the baseline {stage} ({value} of 1).</source>
<translation>Die letzte Schicht hier gleicht am meisten der Baseline {stage} ({value} von 1).</translation>
</message>
<message>
<source>The learning rate is too high: a single step changed the weights of one part by {ratio}. Healthy runs stay below {limit}.</source>
<translation>Die Lernrate ist zu hoch: Ein einziger Schritt hat die Gewichte eines Teils um {ratio} verändert. Gesunde Läufe bleiben unter {limit}.</translation>
</message>
<message>
<source>The learning rate is too low: no step has changed the weights of any part by more than {ratio}.</source>
<translation>Die Lernrate ist zu niedrig: Kein Schritt hat die Gewichte eines Teils um mehr als {ratio} verändert.</translation>
</message>
<message>
<source>The length of a vector.</source>
<translation>Die Länge eines Vektors.</translation>
</message>
<message>
<source>The length of the part, and how much of the sum it makes; 100% in all.</source>
<translation>Die Länge des Teils und wie viel er zur Summe beiträgt; zusammen 100 %.</translation>
</message>
<message>
<source>The lesson has no pages; begin one with “# Title”.</source>
<translation>Die Lektion hat keine Seiten; eine Seite beginnt mit „# Titel“.</translation>
</message>
<message>
<source>The lesson has no {name}.</source>
<translation>Der Lektion fehlt {name}.</translation>
</message>
<message>
<source>The lesson that was open last time cannot be opened where it was: its file is damaged.</source>
<translation>Die Lektion vom letzten Mal lässt sich nicht dort öffnen, wo sie war: Ihre Datei ist beschädigt.</translation>
</message>
<message>
<source>The lesson “{title}” was open when BERTscope was closed, at page {number}.</source>
<translation>Die Lektion „{title}“ war beim Schließen von BERTscope offen, auf Seite {number}.</translation>
</message>
<message>
<source>The line is a list of {width} numbers.</source>
<translation>Die Linie ist eine Liste von {width} Zahlen.</translation>
</message>
<message>
<source>The line is compared with every token of the vocabulary.</source>
<translation>Die Linie wird mit jedem Token des Vokabulars verglichen.</translation>
</message>
<message>
<source>The line is longer than {most} characters.</source>
<translation>Die Zeile ist länger als {most} Zeichen.</translation>
</message>
<message>
<source>The lines around the error</source>
<translation>Die Zeilen um den Fehler</translation>
</message>
<message>
<source>The log</source>
<translation>Das Protokoll</translation>
</message>
<message>
<source>The log shows what happened before.</source>
<translation>Das Protokoll zeigt, was vorher geschah.</translation>
</message>
<message>
<source>The logit lens: the model’s output layer reads each layer’s hidden state as if it were the last.</source>
<translation>Die Logit Lens: Die Ausgabeschicht des Modells liest den Hidden State jeder Schicht, als wäre sie die letzte.</translation>
</message>
<message>
<source>The logit of a word is a sum: each head and each feed-forward network adds its own share. Which ones speak for this word, which against it, and which words does each push?</source>
<translation>Der Logit eines Wortes ist eine Summe: Jeder Kopf und jedes Feed-Forward-Netz trägt seinen Teil bei. Was spricht für dieses Wort, was dagegen, und welche Wörter stärkt jeder Teil?</translation>
</message>
<message>
<source>The longer a bar, the more the sentence matters. Would you have picked the same?</source>
<translation>Je länger ein Balken, desto wichtiger der Satz. Hättest du dieselben gewählt?</translation>
</message>
<message>
<source>The longest text that the model can read, in tokens.</source>
<translation>Der längste Text, den das Modell lesen kann, in Tokens.</translation>
</message>
<message>
<source>The loss says how wrong its guesses are. If it falls in training but no longer on held-out text, the model has begun to memorise. {begins}</source>
<translation>Der Loss sagt, wie falsch die Tipps sind. Fällt er beim Training weiter, aber nicht mehr auf ungesehenem Text, hat das Modell angefangen, auswendig zu lernen. {begins}</translation>
</message>
<message>
<source>The loss with ever fewer parts</source>
<translation>Der Loss mit immer weniger Teilen</translation>
</message>
<message>
<source>The lowest rate was best: an even lower one may do better.</source>
<translation>Die niedrigste Rate war am besten: Eine noch niedrigere ist vielleicht besser.</translation>
</message>
<message>
<source>The map shows {some} of {all} tokens: the one to predict, those that differ and those you clicked. All tokens would take about {time}.</source>
<translation>Die Karte zeigt {some} von {all} Token: das vorhergesagte, die verschiedenen und die angeklickten. Alle Token würden etwa {time} dauern.</translation>
</message>
<message>
<source>The mask comes before the softmax: what is set to 0 after it is missing from the row.</source>
<translation>Die Maske kommt vor der Softmax: Was danach auf 0 gesetzt wird, fehlt in der Zeile.</translation>
</message>
<message>
<source>The mask is on the rows: padding does not look, but is looked at.</source>
<translation>Die Maske liegt auf den Zeilen: Das Padding schaut nicht, aber auf das Padding wird geschaut.</translation>
</message>
<message>
<source>The mean over all pairs of the collection, not of one sentence.</source>
<translation>Der Mittelwert über alle Paare der Sammlung, nicht über einen Satz.</translation>
</message>
<message>
<source>The meanings are furthest apart after layer {layer}: cosine {within} within a meaning, {between} between meanings.</source>
<translation>Am weitesten auseinander sind die Bedeutungen nach Schicht {layer}: Kosinus {within} bei gleicher, {between} bei verschiedener Bedeutung.</translation>
</message>
<message>
<source>The meanings are furthest apart in the embeddings: cosine {within} within a meaning, {between} between meanings.</source>
<translation>Am weitesten auseinander sind die Bedeutungen bei den Embeddings: Kosinus {within} bei gleicher, {between} bei verschiedener Bedeutung.</translation>
</message>
<message>
<source>The methods name different words: trust none of them far.</source>
<translation>Die Verfahren nennen verschiedene Wörter: Auf keines ist recht Verlass.</translation>
</message>
<message>
<source>The model</source>
<translation>Das Modell</translation>
</message>
<message>
<source>The model at the end of its training</source>
<translation>Das Modell am Ende seines Trainings</translation>
</message>
<message>
<source>The model before fine-tuning</source>
<translation>Das Modell vor dem Feintuning</translation>
</message>
<message>
<source>The model before its first training step: all by chance</source>
<translation>Das Modell vor seinem ersten Trainingsschritt: alles Zufall</translation>
</message>
<message>
<source>The model before this run</source>
<translation>Das Modell vor diesem Lauf</translation>
</message>
<message>
<source>The model does not miss it: without it, a next word that had 10% would have {value}.</source>
<translation>Das Modell braucht diese Einheit nicht: Ohne sie hätte ein nächstes Wort statt 10 % sogar {value}.</translation>
</message>
<message>
<source>The model has {layers} layers of {heads} heads: there is no head {head}.</source>
<translation>Das Modell hat {layers} Schichten mit {heads} Köpfen: Einen Kopf {head} gibt es nicht.</translation>
</message>
<message>
<source>The model misses it: without it, a next word that had 10% would have {value}.</source>
<translation>Ohne diese Einheit ist das Modell schlechter: Statt 10 % hätte ein nächstes Wort nur {value}.</translation>
</message>
<message>
<source>The model that this run goes on training, before its first step</source>
<translation>Das Modell, das dieser Lauf weiter trainiert, vor seinem ersten Schritt</translation>
</message>
<message>
<source>The model that was fine-tuned, before the first step: it does not know the task yet</source>
<translation>Das Modell, das feingetunt wurde, vor dem ersten Schritt: Die Aufgabe kennt es noch nicht</translation>
</message>
<message>
<source>The model to start from</source>
<translation>Das Modell, mit dem begonnen wird</translation>
</message>
<message>
<source>The model with half of what it learns behind it</source>
<translation>Das Modell, wenn es die Hälfte von dem gelernt hat, was es lernt</translation>
</message>
<message numerus="yes">
<source>The model: %n point(s)</source>
<translation>
<numerusform>Das Modell: %n Punkt</numerusform>
<numerusform>Das Modell: %n Punkte</numerusform>
</translation>
</message>
<message>
<source>The models have {ours} and {theirs} heads, so they cannot be paired one to one.</source>
<translation>Die Modelle haben {ours} und {theirs} Köpfe, also lassen sie sich nicht eins zu eins zuordnen.</translation>
</message>
<message>
<source>The model’s first guesses</source>
<translation>Die ersten Tipps des Modells</translation>
</message>
<message>
<source>The model’s first three words</source>
<translation>Die ersten drei Wörter des Modells</translation>
</message>
<message>
<source>The model’s vocabulary has “{word}” as one piece: there is nothing to cut.</source>
<translation>Das Vokabular des Modells hat „{word}“ als ein Stück: Da gibt es nichts zu zerlegen.</translation>
</message>
<message>
<source>The most likely words for the hidden one</source>
<translation>Die wahrscheinlichsten Wörter für das verdeckte</translation>
</message>
<message>
<source>The most memory in use at once since the run was last started or resumed.</source>
<translation>Der meiste Speicher, der seit dem letzten Start oder Fortsetzen auf einmal belegt war.</translation>
</message>
<message>
<source>The most that could get from the word to the token through these layers.</source>
<translation>Das Meiste, was durch diese Schichten vom Wort zum Token gelangen könnte.</translation>
</message>
<message>
<source>The new weight, 0 to 1</source>
<translation>Das neue Gewicht, 0 bis 1</translation>
</message>
<message>
<source>The next batch</source>
<translation>Der nächste Batch</translation>
</message>
<message>
<source>The next batch (Page Down)</source>
<translation>Der nächste Batch (Bild ab)</translation>
</message>
<message>
<source>The next neuron whose strongest contexts are mostly one word</source>
<translation>Das nächste Neuron, dessen stärkste Kontexte meist ein Wort sind</translation>
</message>
<message>
<source>The next page (→, Page Down)</source>
<translation>Die nächste Seite (→, Bild ab)</translation>
</message>
<message>
<source>The next word is masked, and this unit switched off: how does the word’s probability change? +2%: 10.2% in place of 10%.</source>
<translation>Das nächste Wort wird maskiert und diese Einheit abgeschaltet: Wie ändert sich die Wahrscheinlichkeit des Wortes? +2 %: 10,2 % statt 10 %.</translation>
</message>
<message>
<source>The next-sentence classifier reads only {token}.</source>
<translation>Der Klassifikator für den nächsten Satz liest nur {token}.</translation>
</message>
<message>
<source>The number it gives your text. Change a word: which way does it move?</source>
<translation>Die Zahl, die es dem Text gibt. Ein Wort ändern: In welche Richtung bewegt sie sich?</translation>
</message>
<message>
<source>The numbers of the figure: {title}</source>
<translation>Die Zahlen der Abbildung: {title}</translation>
</message>
<message>
<source>The numbers of the selected token</source>
<translation>Die Zahlen des gewählten Tokens</translation>
</message>
<message>
<source>The numbers of this step: rows are tokens</source>
<translation>Die Zahlen dieses Schritts: Zeilen sind Token</translation>
</message>
<message>
<source>The numbers show how much each word adds to the difference.</source>
<translation>Die Zahlen zeigen, wie viel jedes Wort zum Unterschied beiträgt.</translation>
</message>
<message>
<source>The open model; click to open another</source>
<translation>Das offene Modell; ein Klick öffnet ein anderes</translation>
</message>
<message>
<source>The original: masked-word and next-sentence prediction, WordPiece vocabulary</source>
<translation>Das Original: Vorhersage maskierter Wörter und des nächsten Satzes, WordPiece-Vokabular</translation>
</message>
<message>
<source>The other model</source>
<translation>Das andere Modell</translation>
</message>
<message>
<source>The other text has no mask here.</source>
<translation>Der andere Text hat hier keine Maske.</translation>
</message>
<message>
<source>The other text lacks something that this task reads, so it has no answer to compare.</source>
<translation>Dem anderen Text fehlt etwas, das diese Aufgabe liest; deshalb gibt es keine Antwort zum Vergleichen.</translation>
</message>
<message>
<source>The other vocabulary to tokenise the text with</source>
<translation>Das andere Vokabular, mit dem der Text zerlegt wird</translation>
</message>
<message>
<source>The other way round (these parts on the other text, all others on this one) they keep {reversed}.</source>
<translation>Umgekehrt (diese Teile vom anderen Text, alle übrigen von diesem) bleiben {reversed}.</translation>
</message>
<message>
<source>The page</source>
<translation>Die Seite</translation>
</message>
<message>
<source>The page before (←, Page Up)</source>
<translation>Die Seite davor (←, Bild auf)</translation>
</message>
<message>
<source>The page covers something but asks no question; write “:: ask”.</source>
<translation>Die Seite verdeckt etwas, stellt aber keine Frage; „:: ask“ schreiben.</translation>
</message>
<message>
<source>The page has no title.</source>
<translation>Die Seite hat keinen Titel.</translation>
</message>
<message>
<source>The pairs</source>
<translation>Die Paare</translation>
</message>
<message>
<source>The pairs, and what the head does in each</source>
<translation>Die Paare, und was der Kopf in jedem tut</translation>
</message>
<message>
<source>The paper says: 40% smaller, 60% faster, 97% as good as BERT-base. The first is counted here and the second can be measured; 97% is the paper’s, of its GLUE score (table 1), and not measured here.</source>
<translation>Das Paper sagt: 40 % kleiner, 60 % schneller, 97 % so gut wie BERT-base. Das erste ist hier gezählt, das zweite lässt sich messen; 97 % ist die Angabe des Papers zum GLUE-Wert (Tabelle 1) und hier nicht gemessen.</translation>
</message>
<message>
<source>The passage</source>
<translation>Der Text</translation>
</message>
<message>
<source>The picture has those {count} that fire most. At “{token}”: neuron {neuron}, {value}.</source>
<translation>Das Bild hat die {count}, die am stärksten feuern. Bei „{token}“: Neuron {neuron}, {value}.</translation>
</message>
<message>
<source>The position part does not follow from where the token stands.</source>
<translation>Der Positionsteil richtet sich nicht danach, wo das Token steht.</translation>
</message>
<message>
<source>The position part is that of the place next to it.</source>
<translation>Der Positionsteil ist der des Platzes daneben.</translation>
</message>
<message>
<source>The prediction to explain</source>
<translation>Die Vorhersage, die erklärt werden soll</translation>
</message>
<message>
<source>The previous batch</source>
<translation>Der vorige Batch</translation>
</message>
<message>
<source>The previous batch (Page Up)</source>
<translation>Der vorige Batch (Bild auf)</translation>
</message>
<message>
<source>The previous word’s tag</source>
<translation>Der Tag des vorigen Worts</translation>
</message>
<message>
<source>The query of “{token}” fits the key of “{best}” best: their score is {score}.</source>
<translation>Die Query von „{token}“ passt am besten zum Key von „{best}“: Ihr Score ist {score}.</translation>
</message>
<message>
<source>The question has no answer; write “:: answer” below it.</source>
<translation>Die Frage hat keine Antwort; „:: answer“ darunter schreiben.</translation>
</message>
<message>
<source>The question has no words.</source>
<translation>Die Frage hat keinen Text.</translation>
</message>
<message>
<source>The question has nothing to show as its answer; write “:: explain”.</source>
<translation>Die Frage hat nichts, was sie als Antwort zeigen könnte; „:: explain“ schreiben.</translation>
</message>
<message>
<source>The questions: a tick for each right answer</source>
<translation>Die Fragen: ein Haken für jede richtige Antwort</translation>
</message>
<message>
<source>The random words are not random: they are always the same.</source>
<translation>Die Zufallswörter sind nicht zufällig: Es ist immer dasselbe.</translation>
</message>
<message>
<source>The results of all {heads} heads are mixed by one matrix: this is what attention adds to “{token}”.</source>
<translation>Eine Matrix mischt die Ergebnisse aller {heads} Köpfe: Das ist es, was Attention zu „{token}“ addiert.</translation>
</message>
<message>
<source>The right answer ends here. The model’s answer ends at “{given}”.</source>
<translation>Hier endet die richtige Antwort. Die des Modells endet bei „{given}“.</translation>
</message>
<message>
<source>The right answer starts here. The model’s answer starts at “{given}”.</source>
<translation>Hier beginnt die richtige Antwort. Die des Modells beginnt bei „{given}“.</translation>
</message>
<message>
<source>The room {room} has no view “{view}”; it has: {known}.</source>
<translation>Der Raum {room} hat keine Ansicht „{view}“; er hat: {known}.</translation>
</message>
<message>
<source>The row is the token that looks: its query, multiplied by the keys of all, `query @ key.T`.</source>
<translation>Die Zeile ist das Token, das schaut: seine Query mal die Keys aller Token, `query @ key.T`.</translation>
</message>
<message>
<source>The rows add up to 1, but the scores were divided by another number.</source>
<translation>Die Zeilen ergeben 1, aber die Scores wurden durch eine andere Zahl geteilt.</translation>
</message>
<message>
<source>The rows add up to 1, but they are too even.</source>
<translation>Die Zeilen ergeben 1, sind aber zu gleichmäßig.</translation>
</message>
<message>
<source>The rows add up to 1, but they are too sharp: almost all of the attention is on one token.</source>
<translation>Die Zeilen ergeben 1, sind aber zu spitz: Fast die ganze Attention liegt auf einem Token.</translation>
</message>
<message>
<source>The rows do not add up to 1: they were divided after the softmax.</source>
<translation>Die Zeilen ergeben nicht 1: Sie wurden nach der Softmax geteilt.</translation>
</message>
<message>
<source>The rows have mean 0 and variance 1, but one step is missing.</source>
<translation>Die Zeilen haben Mittelwert 0 und Varianz 1, aber ein Schritt fehlt.</translation>
</message>
<message>
<source>The rows have mean 0, but not variance 1.</source>
<translation>Die Zeilen haben den Mittelwert 0, aber nicht die Varianz 1.</translation>
</message>
<message>
<source>The rows were divided, but their mean is not 0.</source>
<translation>Die Zeilen wurden geteilt, aber ihr Mittelwert ist nicht 0.</translation>
</message>
<message>
<source>The rule that turns gradients into steps. Muon learns more from each token.</source>
<translation>Die Regel, die aus Gradienten Schritte macht. Muon lernt mehr aus jedem Token.</translation>
</message>
<message>
<source>The run could not be put back ({why}). It is in {folder}.</source>
<translation>Der Lauf konnte nicht zurückgelegt werden ({why}). Er liegt in {folder}.</translation>
</message>
<message>
<source>The run folders of this sweep cannot be read.</source>
<translation>Die Ordner der Läufe sind nicht lesbar.</translation>
</message>
<message>
<source>The run has no snapshot from before this step, so there are no predictions.</source>
<translation>Der Lauf hat keinen Snapshot von vor diesem Schritt, darum gibt es keine Vorhersagen.</translation>
</message>
<message>
<source>The runs diverged: their numbers grew without limit.</source>
<translation>Die Läufe sind divergiert: Ihre Zahlen wuchsen ins Unendliche.</translation>
</message>
<message>
<source>The runs of the sweep</source>
<translation>Die Läufe der Versuchsreihe</translation>
</message>
<message>
<source>The run’s name in the list.</source>
<translation>Der Name des Laufs in der Liste.</translation>
</message>
<message>
<source>The same recipe, twice as deep and wider</source>
<translation>Dasselbe Rezept, doppelt so tief und breiter</translation>
</message>
<message>
<source>The same run, already trained: for a computer that is too slow</source>
<translation>Derselbe Lauf, schon trainiert: für einen zu langsamen Computer</translation>
</message>
<message>
<source>The same text, read by the same model at each saved step of fine-tuning: when is it sure of its answer?</source>
<translation>Derselbe Text, gelesen vom selben Modell bei jedem gespeicherten Schritt des Feintunings: Wann ist es sich seiner Antwort sicher?</translation>
</message>
<message>
<source>The same text, read by the same model at each saved step of its training: from noise to patterns.</source>
<translation>Derselbe Text, vom selben Modell bei jedem gespeicherten Schritt seines Trainings gelesen: Aus Rauschen werden Muster.</translation>
</message>
<message>
<source>The same text, tokenised by two vocabularies</source>
<translation>Derselbe Text, von zwei Vokabularen zerlegt</translation>
</message>
<message>
<source>The same with the output of one head, at all tokens. Row: a layer. Column: a head.</source>
<translation>Dasselbe mit der Ausgabe eines Kopfs, bei allen Token. Zeile: eine Schicht. Spalte: ein Kopf.</translation>
</message>
<message>
<source>The same word, least alike</source>
<translation>Dasselbe Wort, am unähnlichsten</translation>
</message>
<message>
<source>The same, but only just before the new output layer.</source>
<translation>Dasselbe, aber nur direkt vor der neuen Ausgabeschicht.</translation>
</message>
<message>
<source>The sample of {task} is missing; choose a file of your own.</source>
<translation>Das Beispiel für {task} fehlt; eine eigene Datei wählen.</translation>
</message>
<message>
<source>The scale is that of its training data, which is not known here.</source>
<translation>Die Skala ist die seiner Trainingsdaten, die hier nicht bekannt ist.</translation>
</message>
<message>
<source>The screen is blank; any key brings the picture back</source>
<translation>Der Bildschirm ist leer; jede Taste bringt das Bild zurück</translation>
</message>
<message>
<source>The seed alone makes this much difference: to count as better, another setting must gain more than that.</source>
<translation>So viel macht allein der Seed aus: Eine andere Einstellung ist nur besser, wenn sie mehr gewinnt.</translation>
</message>
<message>
<source>The selected head</source>
<translation>Der ausgewählte Kopf</translation>
</message>
<message>
<source>The selected token</source>
<translation>Das ausgewählte Token</translation>
</message>
<message>
<source>The sentence</source>
<translation>Der Satz</translation>
</message>
<message>
<source>The sentence with its tags</source>
<translation>Der Satz mit seinen Tags</translation>
</message>
<message>
<source>The sentence-order classifier reads only {token}. Both sentences may well be about the same thing: only their order is in question.</source>
<translation>Der Klassifikator für die Satzreihenfolge liest nur {token}. Beide Sätze können durchaus vom selben handeln: Es geht nur um ihre Reihenfolge.</translation>
</message>
<message>
<source>The sentences are English, as the model is</source>
<translation>Die Sätze sind englisch, denn das Modell kann nur Englisch</translation>
</message>
<message>
<source>The sentences of a pair differ in one point, and one of them is wrong: which does the model find more likely? Its mistakes come first. Click a row and “Compare this pair”: then every view shows the right sentence beside the wrong one.</source>
<translation>Die Sätze eines Paares unterscheiden sich in einem Punkt, und einer davon ist falsch: Welchen findet das Modell wahrscheinlicher? Seine Fehler stehen oben. Auf eine Zeile und dann auf „Dieses Paar vergleichen“ klicken: Dann zeigt jede Ansicht den richtigen Satz neben dem falschen.</translation>
</message>
<message>
<source>The sentences of this game</source>
<translation>Die Sätze dieses Spiels</translation>
</message>
<message>
<source>The sentences that sum up a text</source>
<translation>Die Sätze, die einen Text zusammenfassen</translation>
</message>
<message>
<source>The sequence as the model read it</source>
<translation>Die Sequenz, wie das Modell sie gelesen hat</translation>
</message>
<message>
<source>The session’s model {name} could not be opened, so its texts are shown with {shown}. {reason}</source>
<translation>Das Modell {name} der Sitzung ließ sich nicht öffnen, deshalb werden ihre Texte mit {shown} gezeigt. {reason}</translation>
</message>
<message>
<source>The session’s model {name} is not on this machine, so its texts are shown with {shown}. The model hub may have it: {reference}, {size}.</source>
<translation>Das Modell {name} der Sitzung ist nicht auf diesem Rechner; ihre Texte werden mit {shown} gezeigt. Vielleicht hat es der Model Hub: {reference}, {size}.</translation>
</message>
<message>
<source>The settings could not be read, so the defaults are used: {why}. The file is kept as {kept}.</source>
<translation>Die Einstellungen waren nicht lesbar: {why}. Es gelten die Voreinstellungen; die Datei bleibt als {kept} erhalten.</translation>
</message>
<message>
<source>The settings in {file} cannot be read, so the defaults are used: {why}.</source>
<translation>Die Einstellungen in {file} sind nicht lesbar: {why}. Es gelten die Voreinstellungen.</translation>
</message>
<message>
<source>The settings of “{name}”: change what should differ.</source>
<translation>Die Einstellungen von „{name}“: ändern, was anders sein soll.</translation>
</message>
<message>
<source>The shape is right, the numbers are not yet: read once more what the text at the gap asks for.</source>
<translation>Die Form stimmt, die Zahlen noch nicht: Im Text bei der Lücke steht, was gefragt ist.</translation>
</message>
<message>
<source>The share of A’s attention that goes to B.</source>
<translation>Der Anteil der Attention von A, der nach B geht.</translation>
</message>
<message>
<source>The share of attention that goes to special tokens.</source>
<translation>Der Anteil der Attention, der an Spezialtoken geht.</translation>
</message>
<message>
<source>The share of numbers set to zero at random, so that it memorises less.</source>
<translation>Der Anteil der Zahlen, die zufällig auf null gesetzt werden, damit es weniger auswendig lernt.</translation>
</message>
<message>
<source>The share of the run over which the learning rate rises from zero.</source>
<translation>Der Anteil des Laufs, in dem die Lernrate von null ansteigt.</translation>
</message>
<message>
<source>The share of the run, at its end, over which the learning rate falls to zero.</source>
<translation>Der Anteil des Laufs, an seinem Ende, in dem die Lernrate auf null fällt.</translation>
</message>
<message>
<source>The share of the run, at its start, that predicts next words: small models learn faster.</source>
<translation>Der Anteil des Laufs, an seinem Anfang, der nächste Wörter vorhersagt: Kleine Modelle lernen so schneller.</translation>
</message>
<message>
<source>The shares are right, but all chosen tokens of a text share one fate.</source>
<translation>Die Anteile stimmen, aber allen ausgewählten Token eines Textes geschieht dasselbe.</translation>
</message>
<message>
<source>The shares are right, but in some draws nothing is chosen.</source>
<translation>Die Anteile stimmen, aber manchmal wird gar nichts ausgewählt.</translation>
</message>
<message>
<source>The size of BERT: it takes days, or a graphics card.</source>
<translation>So groß wie BERT: braucht Tage oder eine Grafikkarte.</translation>
</message>
<message>
<source>The snapshot of step {step}: exactly the weights that read this batch.</source>
<translation>Der Snapshot von Schritt {step}: genau die Gewichte, die diesen Batch gelesen haben.</translation>
</message>
<message>
<source>The snapshot of step {step}: it has already learned from this batch.</source>
<translation>Der Snapshot von Schritt {step}: Er hat aus diesem Batch schon gelernt.</translation>
</message>
<message>
<source>The snapshot that predicts</source>
<translation>Der Snapshot, der vorhersagt</translation>
</message>
<message>
<source>The snapshots of this run are gone.</source>
<translation>Die Snapshots dieses Laufs sind nicht mehr da.</translation>
</message>
<message>
<source>The softmax is of each row by itself: `axis=-1, keepdims=True`.</source>
<translation>Die Softmax gilt jeder Zeile für sich: `axis=-1, keepdims=True`.</translation>
</message>
<message>
<source>The solution does not do the task.</source>
<translation>Die Lösung löst die Aufgabe nicht.</translation>
</message>
<message>
<source>The steps are too large: each one overshoots, and what was learned is lost.</source>
<translation>Die Schritte sind zu groß: Jeder schießt über das Ziel hinaus, und das Gelernte geht verloren.</translation>
</message>
<message>
<source>The stronger a line’s colour, the more that token differs.</source>
<translation>Je kräftiger die Farbe einer Linie, desto mehr weicht dieses Token ab.</translation>
</message>
<message>
<source>The sum</source>
<translation>Die Summe</translation>
</message>
<message>
<source>The sum of the three is right, but it is not yet what enters the model.</source>
<translation>Die Summe der drei stimmt, aber das ist noch nicht, was ins Modell hineingeht.</translation>
</message>
<message>
<source>The tag of the word before</source>
<translation>Der Tag des Worts davor</translation>
</message>
<message>
<source>The task has no “:: {name}”.</source>
<translation>Der Aufgabe fehlt „:: {name}“.</translation>
</message>
<message>
<source>The task is done before anybody does anything.</source>
<translation>Die Aufgabe ist gelöst, bevor jemand etwas tut.</translation>
</message>
<message>
<source>The ten heads with the largest mean effect, with their intervals</source>
<translation>Die zehn Köpfe mit der größten mittleren Wirkung, mit Intervallen</translation>
</message>
<message>
<source>The ten largest</source>
<translation>Die zehn größten</translation>
</message>
<message>
<source>The text</source>
<translation>Der Text</translation>
</message>
<message>
<source>The text as the model reads it in this draw, and how likely it finds each original token</source>
<translation>Der Text, wie ihn das Modell in dieser Ziehung liest, und für wie wahrscheinlich es jedes ursprüngliche Token hält</translation>
</message>
<message>
<source>The text as two vocabularies tokenise it</source>
<translation>Der Text, von zwei Vokabularen zerlegt</translation>
</message>
<message numerus="yes">
<source>The text becomes %n token(s). Rare words are cut into several pieces; others are one token.</source>
<translation>
<numerusform>Aus dem Text wird %n Token. Seltene Wörter werden in mehrere Stücke zerlegt, andere sind ein Token.</numerusform>
<numerusform>Aus dem Text werden %n Token. Seltene Wörter werden in mehrere Stücke zerlegt, andere sind ein Token.</numerusform>
</translation>
</message>
<message>
<source>The text file {file} is missing; choose another.</source>
<translation>Die Textdatei {file} fehlt; eine andere wählen.</translation>
</message>
<message>
<source>The text has no token “{word}”.</source>
<translation>Im Text steht kein Token „{word}“.</translation>
</message>
<message>
<source>The text has no word “{word}” to mask.</source>
<translation>Im Text steht kein Wort „{word}“, das maskiert werden könnte.</translation>
</message>
<message>
<source>The text has not changed yet.</source>
<translation>Der Text ist noch nicht geändert.</translation>
</message>
<message>
<source>The text is too long for the model.</source>
<translation>Der Text ist zu lang für das Modell.</translation>
</message>
<message>
<source>The text is too long, so only the part that both models can read is compared.</source>
<translation>Der Text ist zu lang, deshalb wird nur der Teil verglichen, den beide Modelle lesen können.</translation>
</message>
<message>
<source>The text of the selected row and of the one below, as a batch: what is added to the shorter one?</source>
<translation>Der Text der ausgewählten Zeile und der darunter als Batch: Was kommt zum kürzeren dazu?</translation>
</message>
<message>
<source>The text with the masks filled so far</source>
<translation>Der Text mit den bisher gefüllten Masken</translation>
</message>
<message>
<source>The texts differ in length</source>
<translation>Die Texte sind verschieden lang</translation>
</message>
<message>
<source>The token whose weight is edited</source>
<translation>Das Token, dessen Gewicht geändert wird</translation>
</message>
<message>
<source>The token {token} cannot be typed: it is invisible, or only part of a character.</source>
<translation>Das Token {token} lässt sich nicht tippen: Es ist unsichtbar oder nur ein Teil eines Zeichens.</translation>
</message>
<message>
<source>The tokens’ shares add up to {sum}, the change is {change}: completeness error {error}.</source>
<translation>Die Anteile der Token ergeben zusammen {sum}, die Änderung ist {change}: Vollständigkeitsfehler {error}.</translation>
</message>
<message>
<source>The top guess if the model stopped there; the colour shows its probability</source>
<translation>Der erste Tipp, wenn das Modell dort aufhörte; die Farbe zeigt seine Wahrscheinlichkeit</translation>
</message>
<message>
<source>The top layer learns first; the layers below it join in one by one.</source>
<translation>Zuerst lernt nur die oberste Schicht; die darunter kommen eine nach der anderen dazu.</translation>
</message>
<message>
<source>The trained model</source>
<translation>Das trainierte Modell</translation>
</message>
<message>
<source>The training loss is rising: {last} now, after {best} at step {step}.</source>
<translation>Der Trainings-Loss steigt: jetzt {last}, nach {best} bei Schritt {step}.</translation>
</message>
<message>
<source>The training step of this snapshot; click to open another</source>
<translation>Der Trainingsschritt dieses Snapshots; ein Klick öffnet einen anderen</translation>
</message>
<message>
<source>The two axes capture {first} and {second} of the differences.</source>
<translation>Die beiden Achsen erfassen {first} und {second} der Unterschiede.</translation>
</message>
<message>
<source>The two models have different heads, so only the open model is shown.</source>
<translation>Die beiden Modelle haben verschiedene Köpfe, daher ist nur das offene Modell zu sehen.</translation>
</message>
<message>
<source>The two models have different layers or sizes, so a token’s numbers cannot be compared one by one. What can be compared is which tokens each layer treats alike (CKA).</source>
<translation>Die beiden Modelle haben andere Schichten oder Größen, deshalb lassen sich die Zahlen eines Tokens nicht einzeln vergleichen. Vergleichen lässt sich, welche Tokens jede Schicht ähnlich behandelt (CKA).</translation>
</message>
<message>
<source>The two models have different layers or sizes, so the distance between their lines cannot be measured.</source>
<translation>Die beiden Modelle haben verschiedene Schichten oder Größen, daher lässt sich der Abstand ihrer Linien nicht messen.</translation>
</message>
<message>
<source>The two models have different layers, so only the open model is shown.</source>
<translation>Die beiden Modelle haben verschiedene Schichten, daher ist nur das offene Modell zu sehen.</translation>
</message>
<message>
<source>The two models have different sizes, so only the open model is shown.</source>
<translation>Die beiden Modelle haben verschiedene Größen, daher ist nur das offene Modell zu sehen.</translation>
</message>
<message>
<source>The two numbers are taken over {ours} and {theirs} tokens, because they are of two texts.</source>
<translation>Die beiden Zahlen gelten für {ours} und {theirs} Token, weil sie von zwei Texten sind.</translation>
</message>
<message>
<source>The two numbers are taken over {ours} and {theirs} tokens, because {baseline} cuts the text differently.</source>
<translation>Die beiden Zahlen gelten für {ours} und {theirs} Token, weil {baseline} den Text anders zerlegt.</translation>
</message>
<message>
<source>The two sentences</source>
<translation>Die beiden Sätze</translation>
</message>
<message>
<source>The two texts have no word in common, so they cannot be compared token by token.</source>
<translation>Die beiden Texte haben kein Wort gemeinsam, lassen sich also nicht Token für Token vergleichen.</translation>
</message>
<message>
<source>The two vocabularies split this text at different places, so no token has a counterpart.</source>
<translation>Die beiden Vokabulare zerlegen diesen Text an verschiedenen Stellen, also hat kein Token ein Gegenstück.</translation>
</message>
<message>
<source>The types it knows</source>
<translation>Die Typen, die es kennt</translation>
</message>
<message>
<source>The unchanged model</source>
<translation>Das unveränderte Modell</translation>
</message>
<message>
<source>The untrained model</source>
<translation>Das untrainierte Modell</translation>
</message>
<message>
<source>The uses of “{word}” that are least alike</source>
<translation>Die unähnlichsten Verwendungen von „{word}“</translation>
</message>
<message>
<source>The vector of [PAD] in the token table has the norm {length} here (the median of all is {usual}). In many models it is all zeros.</source>
<translation>Der Vektor von [PAD] in der Token-Tabelle hat hier die Norm {length} (der Median aller ist {usual}). In vielen Modellen besteht er aus Nullen.</translation>
</message>
<message>
<source>The vectors of A and B: cosine {cosine}, distance {distance}</source>
<translation>Die Vektoren von A und B: Kosinus {cosine}, Abstand {distance}</translation>
</message>
<message>
<source>The vectors of segment A and segment B</source>
<translation>Die Vektoren von Segment A und Segment B</translation>
</message>
<message>
<source>The weights</source>
<translation>Die Gewichte</translation>
</message>
<message>
<source>The weights add up to 1. Click a token above for its numbers.</source>
<translation>Die Gewichte ergeben zusammen 1. Ein Klick auf ein Token oben zeigt dessen Zahlen.</translation>
</message>
<message>
<source>The weights of a row add up to 1 already: do not divide once more.</source>
<translation>Die Gewichte einer Zeile ergeben schon 1: nicht noch einmal teilen.</translation>
</message>
<message>
<source>The weights of the columns were used, not those of the rows.</source>
<translation>Benutzt wurden die Gewichte der Spalten, nicht die der Zeilen.</translation>
</message>
<message>
<source>The whole head, for all tokens: without it, the probability of {prediction}: {before} → {after} ({change}).</source>
<translation>Der ganze Kopf, für alle Token: ohne ihn die Wahrscheinlichkeit von {prediction}: {before} → {after} ({change}).</translation>
</message>
<message>
<source>The whole head, for all tokens: without it, {prediction}: {before} → {after} ({change}).</source>
<translation>Der ganze Kopf, für alle Token: ohne ihn {prediction}: {before} → {after} ({change}).</translation>
</message>
<message>
<source>The whole model</source>
<translation>Das ganze Modell</translation>
</message>
<message>
<source>The whole model in one picture</source>
<translation>Das ganze Modell in einem Bild</translation>
</message>
<message>
<source>The whole model, in one picture</source>
<translation>Das ganze Modell in einem Bild</translation>
</message>
<message>
<source>The whole model: words, tokens, embeddings, layers, answers</source>
<translation>Das ganze Modell: Wörter, Token, Embeddings, Schichten, Antworten</translation>
</message>
<message>
<source>The whole window shows this swap. Click or press Esc to end it</source>
<translation>Das ganze Fenster zeigt diesen Austausch. Ein Klick oder Esc beendet ihn</translation>
</message>
<message>
<source>The word among the 50 nearest</source>
<translation>Das Wort unter den 50 nächsten</translation>
</message>
<message>
<source>The word in this world</source>
<translation>Das Wort in dieser Welt</translation>
</message>
<message>
<source>The word is not in this sentence.</source>
<translation>Das Wort kommt in diesem Satz nicht vor.</translation>
</message>
<message>
<source>The word itself hardly tells it: where the curve rises, the state has learned of its neighbour.</source>
<translation>Das Wort selbst verrät diesen Tag kaum: Wo die Kurve steigt, hat der Hidden State vom Nachbarwort erfahren.</translation>
</message>
<message>
<source>The word that it is compared with</source>
<translation>Das Wort, mit dem es verglichen wird</translation>
</message>
<message>
<source>The word that it looks at</source>
<translation>Das Wort, auf das es schaut</translation>
</message>
<message>
<source>The word that looks</source>
<translation>Das Wort, das schaut</translation>
</message>
<message>
<source>The word to compare</source>
<translation>Das Wort, das verglichen wird</translation>
</message>
<message>
<source>The word to explain</source>
<translation>Das Wort, um das es geht</translation>
</message>
<message>
<source>The words in the order in which they were filled in, and how sure the model was.</source>
<translation>Die Wörter in der Reihenfolge, in der sie eingesetzt wurden, und wie sicher das Modell war.</translation>
</message>
<message>
<source>The word’s own tag</source>
<translation>Der Tag des Worts selbst</translation>
</message>
<message>
<source>The world beside this one</source>
<translation>Die Welt neben dieser</translation>
</message>
<message>
<source>The {shown} most frequent of {all} labels.</source>
<translation>Die {shown} häufigsten von {all} Labels.</translation>
</message>
<message>
<source>Their settings are the same.</source>
<translation>Ihre Einstellungen sind gleich.</translation>
</message>
<message>
<source>Then click another token: the two swap positions</source>
<translation>Danach ein anderes Token anklicken: Die beiden tauschen die Position</translation>
</message>
<message>
<source>There are no other snapshots of this model</source>
<translation>Von diesem Modell gibt es keine anderen Snapshots</translation>
</message>
<message>
<source>There are only {count} held-out examples: each one counts for {share}.</source>
<translation>Es gibt nur {count} ungesehene Beispiele: Jedes zählt {share}.</translation>
</message>
<message>
<source>There is no command “{name}”; use one of {known}.</source>
<translation>Einen Befehl „{name}“ gibt es nicht; möglich sind: {known}.</translation>
</message>
<message>
<source>There is no dev file next to it, so some of the examples are held out.</source>
<translation>Daneben liegt keine Dev-Datei, deshalb wird ein Teil der Beispiele zurückgehalten.</translation>
</message>
<message>
<source>There is no help for this room yet.</source>
<translation>Für diesen Raum gibt es noch keine Hilfe.</translation>
</message>
<message>
<source>There is no magic inside a layer, only arithmetic. Click a step to open it, and any number to see how it was computed.</source>
<translation>In einer Schicht steckt keine Zauberei, nur Rechnen. Ein Klick öffnet einen Schritt; ein Klick auf eine Zahl zeigt, wie sie berechnet wurde.</translation>
</message>
<message>
<source>There is no measure “{name}”; use one of {known}.</source>
<translation>Einen Messwert „{name}“ gibt es nicht; möglich sind: {known}.</translation>
</message>
<message>
<source>There is no passage yet: type or paste one on the left.</source>
<translation>Es gibt noch keinen Text: links einen eintippen oder einfügen.</translation>
</message>
<message>
<source>There is no picture here to save yet. It appears once the model has read a text.</source>
<translation>Hier ist noch kein Bild, das gespeichert werden könnte. Es erscheint, sobald das Modell einen Text gelesen hat.</translation>
</message>
<message>
<source>There is no sentence B. Type one to see how the two are connected.</source>
<translation>Es gibt keinen Satz B. Einen eintippen, um zu sehen, wie die beiden verbunden sind.</translation>
</message>
<message>
<source>There is no text yet that the model has read; type one first.</source>
<translation>Das Modell hat noch keinen Text gelesen; zuerst einen eintippen.</translation>
</message>
<message>
<source>There is no text yet: type or paste one on the left.</source>
<translation>Es gibt noch keinen Text: links einen eintippen oder einfügen.</translation>
</message>
<message>
<source>There is not enough memory for this; try a shorter text or a smaller model.</source>
<translation>Dafür reicht der Arbeitsspeicher nicht; einen kürzeren Text oder ein kleineres Modell nehmen.</translation>
</message>
<message>
<source>There is nothing to choose from yet: type two or more endings on the left, one per line.</source>
<translation>Es gibt noch nichts zu wählen: links zwei oder mehr Schlüsse eintippen, einen pro Zeile.</translation>
</message>
<message>
<source>There is nothing to compare with. {why}</source>
<translation>Es gibt nichts zum Vergleichen. {why}</translation>
</message>
<message>
<source>There is nothing to copy yet: a page of a lesson needs a sentence A.</source>
<translation>Es gibt noch nichts zu kopieren: Eine Seite einer Lektion braucht einen Satz A.</translation>
</message>
<message>
<source>These are the scores, not yet shares.</source>
<translation>Das sind die Scores, noch keine Anteile.</translation>
</message>
<message>
<source>These heads look at other tokens than in the baseline, which may explain the change: click one.</source>
<translation>Diese Köpfe schauen auf andere Token als in der Baseline; das kann die Änderung erklären: einen anklicken.</translation>
</message>
<message>
<source>These two models have different shapes</source>
<translation>Diese beiden Modelle haben verschiedene Formen</translation>
</message>
<message>
<source>These {count} of {parts} parts keep {kept} of the difference; the best of {sets} random sets of that size keeps {random}.</source>
<translation>Mit diesen {count} der {parts} Teile bleiben {kept} des Unterschieds, mit der besten von {sets} Zufallsmengen gleicher Größe {random}.</translation>
</message>
<message>
<source>They share the hidden size equally: it must be a multiple of their number.</source>
<translation>Sie teilen sich die Breite zu gleichen Teilen; sie muss ein Vielfaches ihrer Anzahl sein.</translation>
</message>
<message>
<source>Thick line: the selected token; dashed: the same token in the baseline, whose tokens are rings. Click another token: where do its two paths part?</source>
<translation>Dicke Linie: das ausgewählte Token; gestrichelt: dasselbe Token in der Baseline, deren Token Ringe sind. Ein anderes Token anklicken: Wo trennen sich seine beiden Wege?</translation>
</message>
<message>
<source>Think it over</source>
<translation>Nachdenken</translation>
</message>
<message>
<source>Think of attention weights as the widths of pipes: how much could flow from each token (column) to each token (row)?</source>
<translation>Attention-Gewichte als Breite von Rohren: Wie viel könnte von jedem Token (Spalte) zu jedem Token (Zeile) fließen?</translation>
</message>
<message>
<source>Think of attention weights as the widths of pipes: how much could flow from token to token? For layer 1 alone it is the same as Rollout; click a head in a higher layer.</source>
<translation>Attention-Gewichte als Breite von Rohren: Wie viel könnte von Token zu Token fließen? Für Schicht 1 allein ist es dasselbe wie Rollout; ein Klick auf einen Kopf einer höheren Schicht zeigt den Unterschied.</translation>
</message>
<message>
<source>This batch: what was chosen at random, and what the settings ask for</source>
<translation>Dieser Batch: was zufällig gewählt wurde und was die Einstellungen verlangen</translation>
</message>
<message>
<source>This belongs to a question; write “:: ask” before it.</source>
<translation>Das gehört zu einer Frage; vorher „:: ask“ schreiben.</translation>
</message>
<message>
<source>This belongs to a task; write “:: task” before it.</source>
<translation>Das gehört zu einer Aufgabe; vorher „:: task“ schreiben.</translation>
</message>
<message>
<source>This head</source>
<translation>Dieser Kopf</translation>
</message>
<message>
<source>This head has not changed. Moved, on the left, lists the heads that have.</source>
<translation>Dieser Kopf hat sich nicht geändert. „Bewegt“ nennt links die Köpfe, die sich geändert haben.</translation>
</message>
<message>
<source>This installation has no licence text; the project’s web page does.</source>
<translation>Diese Installation enthält keinen Lizenztext; er steht auf der Webseite des Projekts.</translation>
</message>
<message>
<source>This is how BERT learned language: guessing masked words. Mask one, and see what it expects there.</source>
<translation>So hat BERT Sprache gelernt: maskierte Wörter erraten. Ein Wort maskieren und sehen, was das Modell dort erwartet.</translation>
</message>
<message>
<source>This is set twice on the page: {name}.</source>
<translation>Auf der Seite zweimal gesetzt: {name}.</translation>
</message>
<message>
<source>This looks normal: its {name} is better than at the start. The held-out loss has risen from {best} at step {step} to {last} all the same: the model has grown surer of its mistakes, too.</source>
<translation>Das sieht normal aus: {name} ist besser als am Anfang. Der Loss auf ungesehenen Daten ist trotzdem von {best} bei Schritt {step} auf {last} gestiegen: Das Modell ist sich auch bei seinen Fehlern sicherer geworden.</translation>
</message>
<message>
<source>This looks normal: no sign of a learning rate that is too high or too low, of a plateau or of overfitting.</source>
<translation>Das sieht normal aus: kein Anzeichen für eine zu hohe oder zu niedrige Lernrate, ein Plateau oder Auswendiglernen.</translation>
</message>
<message>
<source>This looks normal: on held-out examples its {name} went from {first} to {score}.</source>
<translation>Das sieht normal aus: Auf ungesehenen Beispielen ging „{name}“ von {first} auf {score}.</translation>
</message>
<message>
<source>This looks normal: on {count} held-out examples its {name} went from {first} to {score}.</source>
<translation>Das sieht normal aus: Auf {count} ungesehenen Beispielen ging „{name}“ von {first} auf {score}.</translation>
</message>
<message>
<source>This looks normal: the held-out loss fell from {start} to {loss}, and no step changed the weights of any part by more than {ratio}.</source>
<translation>Das sieht normal aus: Der Loss auf ungesehenem Text fiel von {start} auf {loss}, und kein Schritt hat die Gewichte eines Teils um mehr als {ratio} verändert.</translation>
</message>
<message>
<source>This looks normal: the held-out loss fell from {start} to {loss}.</source>
<translation>Das sieht normal aus: Der Loss auf ungesehenem Text fiel von {start} auf {loss}.</translation>
</message>
<message>
<source>This many layers, counted from the bottom, do not learn, nor do the embeddings.</source>
<translation>So viele Schichten, von unten gezählt, lernen nicht mit, auch die Embeddings nicht.</translation>
</message>
<message>
<source>This model</source>
<translation>Dieses Modell</translation>
</message>
<message>
<source>This model cannot read any sentence of {file} whole; choose another collection.</source>
<translation>Dieses Modell kann keinen Satz aus {file} ganz lesen; eine andere Sammlung wählen.</translation>
</message>
<message>
<source>This model cuts “{word}” into {count} tokens, and one mask hides one: hide another word.</source>
<translation>Dieses Modell zerlegt „{word}“ in {count} Token, und eine Maske verdeckt nur eines: ein anderes Wort verdecken.</translation>
</message>
<message>
<source>This model does not say whether B follows A.</source>
<translation>Dieses Modell sagt nicht, ob B auf A folgt.</translation>
</message>
<message>
<source>This model has learned a language, but no task yet. Copies of {model} have been fine-tuned (trained a little further), each for one task: open one and type.</source>
<translation>Dieses Modell hat eine Sprache gelernt, aber noch keine Aufgabe. Kopien von {model} wurden feingetunt (ein wenig weiter trainiert), jede für eine Aufgabe: eine öffnen und tippen.</translation>
</message>
<message>
<source>This model has no masked-word (MLM) head, so it cannot be a teacher; choose another.</source>
<translation>Dieses Modell hat keinen Ausgabekopf für maskierte Wörter (MLM), kann also kein Lehrer sein; ein anderes wählen.</translation>
</message>
<message>
<source>This model has no masked-word (MLM) head, so its pretraining cannot continue; choose another.</source>
<translation>Dieses Modell hat keinen Ausgabekopf für maskierte Wörter (MLM), sein Vortraining kann also nicht weitergehen; ein anderes wählen.</translation>
</message>
<message>
<source>This model has no masked-word (MLM) head.</source>
<translation>Dieses Modell hat keinen Ausgabekopf für maskierte Wörter (MLM).</translation>
</message>
<message>
<source>This model has no segments.</source>
<translation>Dieses Modell hat keine Segmente.</translation>
</message>
<message>
<source>This model has no snapshot from the start of its training, so there is nothing to compare it with.</source>
<translation>Von diesem Modell gibt es keinen Snapshot vom Anfang des Trainings und damit nichts zum Vergleichen.</translation>
</message>
<message>
<source>This model has no snapshots of its training to play; click for one that has (F5)</source>
<translation>Von diesem Modell gibt es keine Snapshots des Trainings zum Abspielen; ein Klick bietet eines an, von dem es welche gibt (F5)</translation>
</message>
<message>
<source>This model has not been fine-tuned for a task. Fine-tune it in Train, or open one that was.</source>
<translation>Dieses Modell wurde noch für keine Aufgabe feingetunt. Unter Training feintunen oder ein feingetuntes öffnen.</translation>
</message>
<message>
<source>This model learned to spot words that another model had swapped. Type a word that does not fit: does it notice?</source>
<translation>Dieses Modell hat gelernt, Wörter zu erkennen, die ein anderes Modell ausgetauscht hat. Ein Wort eintippen, das nicht passt: Merkt es das?</translation>
</message>
<message>
<source>This model makes no prediction to compare; look at how the pictures change.</source>
<translation>Dieses Modell macht keine Vorhersage zum Vergleichen; man sieht es an den Bildern.</translation>
</message>
<message>
<source>This model predicts no words</source>
<translation>Dieses Modell sagt keine Wörter vorher</translation>
</message>
<message>
<source>This model was trained on both sides. This is what it can do with one of them taken away, not what a model trained to read in one direction would have learned.</source>
<translation>Dieses Modell wurde mit beiden Seiten trainiert. Das hier kann es, wenn eine fehlt; ein Modell, das von Anfang an nur in einer Richtung liest, hätte anderes gelernt.</translation>
</message>
<message>
<source>This model’s vocabulary has no mask token, so no word can be masked.</source>
<translation>Das Vokabular dieses Modells hat kein Masken-Token, deshalb lässt sich kein Wort maskieren.</translation>
</message>
<message>
<source>This picture does not move: open the film strip (Ctrl+9) or the map (Ctrl+1).</source>
<translation>Dieses Bild bewegt sich nicht: den Filmstreifen (Strg+9) oder den Überblick (Strg+1) öffnen.</translation>
</message>
<message>
<source>This run did not record how far its weights move; newer runs do.</source>
<translation>Dieser Lauf hat nicht aufgezeichnet, wie weit sich seine Gewichte bewegen; neuere Läufe tun das.</translation>
</message>
<message>
<source>This task needs more than this text: see Apply.</source>
<translation>Diese Aufgabe braucht mehr als diesen Text: siehe Anwenden.</translation>
</message>
<message>
<source>This teacher has only one layer, so no student can be smaller; choose another.</source>
<translation>Dieser Lehrer hat nur eine Schicht, kleiner kann kein Schüler sein; einen anderen wählen.</translation>
</message>
<message>
<source>This text has {ours} tokens, the other one {theirs}. Each place is swapped with the same place of the other text, so both need the same number of tokens.</source>
<translation>Dieser Text hat {ours} Token, der andere {theirs}. Jede Stelle wird gegen dieselbe Stelle des anderen Textes ausgetauscht, darum brauchen beide gleich viele Token.</translation>
</message>
<message>
<source>This text: {text}
{score}

The other text: {other}
{other_score}</source>
<translation>Dieser Text: {text}
{score}

Der andere Text: {other}
{other_score}</translation>
</message>
<message>
<source>This token has no counterpart in {baseline}.</source>
<translation>Dieses Token hat kein Gegenstück in {baseline}.</translation>
</message>
<message>
<source>This view has its own list of texts, so the baseline makes no difference here.</source>
<translation>Diese Ansicht hat ihre eigene Liste von Texten; die Baseline ändert hier nichts.</translation>
</message>
<message>
<source>This view has its own sentences. Hold X to see them in the baseline model.</source>
<translation>Diese Ansicht hat eigene Sätze. X gedrückt halten zeigt sie im Modell der Baseline.</translation>
</message>
<message>
<source>This view has sentences of its own, not the text above. Change them, or write others.</source>
<translation>Diese Ansicht hat eigene Sätze, nicht den Text oben. Sie lassen sich ändern oder durch andere ersetzen.</translation>
</message>
<message>
<source>This view is about models as such, not about a text.</source>
<translation>Diese Ansicht handelt von Modellen, nicht von einem Text.</translation>
</message>
<message>
<source>This view is about the collection, so the baseline makes no difference here.</source>
<translation>Diese Ansicht betrifft die Sammlung, die Vergleichsgrundlage ändert hier nichts.</translation>
</message>
<message>
<source>This view masks the text anew, in the model as it is, so the baseline makes no difference here.</source>
<translation>Diese Ansicht maskiert den Text neu, im Modell, wie es ist; die Baseline ändert hier nichts.</translation>
</message>
<message>
<source>This view reads the text with the model as it is, whatever is compared or changed inside.</source>
<translation>Diese Ansicht liest den Text mit dem Modell, wie es ist, was auch immer verglichen oder in ihm geändert ist.</translation>
</message>
<message>
<source>This view shows one text in one model. Hold X to see the baseline instead.</source>
<translation>Diese Ansicht zeigt einen Text in einem Modell. X gedrückt halten zeigt stattdessen die Baseline.</translation>
</message>
<message>
<source>This view splits text with its own two vocabularies, so the baseline makes no difference here.</source>
<translation>Diese Ansicht zerlegt Text mit zwei eigenen Vokabularen; die Baseline ändert hier nichts.</translation>
</message>
<message>
<source>This vocabulary does not have “{word}”; type another word.</source>
<translation>Dieses Vokabular hat „{word}“ nicht; ein anderes Wort eintippen.</translation>
</message>
<message>
<source>This world as one file, to share</source>
<translation>Diese Welt als eine Datei, zum Weitergeben</translation>
</message>
<message>
<source>This {mask} is part of the text: click a predicted word or edit the text to replace it.</source>
<translation>Dieses {mask} gehört zum Text: ein vorhergesagtes Wort anklicken oder den Text ändern, um es zu ersetzen.</translation>
</message>
<message>
<source>Three runs with the best settings: is the difference more than chance?</source>
<translation>Drei Läufe mit den besten Einstellungen: Ist der Unterschied mehr als Zufall?</translation>
</message>
<message>
<source>Three seeds: mean and standard deviation</source>
<translation>Drei Seeds: Mittelwert und Standardabweichung</translation>
</message>
<message>
<source>Threshold</source>
<translation>Schwelle</translation>
</message>
<message>
<source>Time and memory could not be estimated.</source>
<translation>Dauer und Speicher ließen sich nicht schätzen.</translation>
</message>
<message>
<source>Time machine</source>
<translation>Zeitmaschine</translation>
</message>
<message>
<source>Time machine: step of the snapshot</source>
<translation>Zeitmaschine: Schritt des Snapshots</translation>
</message>
<message>
<source>Time since the lesson was opened</source>
<translation>Zeit, seit die Lektion geöffnet wurde</translation>
</message>
<message>
<source>To compare meanings, mark at least two sentences with one meaning and one with another.</source>
<translation>Um Bedeutungen zu vergleichen, mindestens zwei Sätze mit der einen Bedeutung und einen mit einer anderen markieren.</translation>
</message>
<message>
<source>To load them again later, or to use them as a --recipe in the shell</source>
<translation>Um sie später wieder zu laden oder in der Shell als --recipe zu benutzen</translation>
</message>
<message>
<source>To run on phones and cheap servers. Beginning with every other layer of its teacher, it learns to answer as that does (distillation).</source>
<translation>Für Telefone und billige Server. Es beginnt mit jeder zweiten Schicht seines Lehrers und lernt, zu antworten wie er (Destillation).</translation>
</message>
<message>
<source>Token embedding</source>
<translation>Token-Embedding</translation>
</message>
<message>
<source>Token embedding of “{token}”</source>
<translation>Token-Embedding von „{token}“</translation>
</message>
<message>
<source>Token vectors</source>
<translation>Token-Vektoren</translation>
</message>
<message>
<source>Token vectors, with words near every token</source>
<translation>Token-Vektoren, mit Wörtern nah an jedem Token</translation>
</message>
<message>
<source>Token vectors, with words near the selected token</source>
<translation>Token-Vektoren, mit Wörtern nah am ausgewählten Token</translation>
</message>
<message>
<source>Token, segment and position vectors added up. The plane keeps the two directions in which they differ most (PCA).</source>
<translation>Token-, Segment- und Positionsvektoren addiert. Die Ebene behält die zwei Richtungen, in denen sie sich am stärksten unterscheiden (PCA).</translation>
</message>
<message>
<source>Tokens</source>
<translation>Token</translation>
</message>
<message>
<source>Tokens changed that are not chosen: the shares were taken of all tokens.</source>
<translation>Auch nicht ausgewählte Token haben sich geändert: Die Anteile wurden von allen Token genommen.</translation>
</message>
<message>
<source>Tokens for which the neuron fires most</source>
<translation>Token, bei denen das Neuron am stärksten feuert</translation>
</message>
<message>
<source>Tokens look at the special tokens: {share} of the attention. Often that means: nothing to do here.</source>
<translation>Die Token schauen auf die Spezialtoken: {share} der Attention. Oft heißt das: Hier ist nichts zu tun.</translation>
</message>
<message>
<source>Tokens per sequence</source>
<translation>Token je Sequenz</translation>
</message>
<message>
<source>Tokens read per second of training.</source>
<translation>Gelesene Token je Sekunde Training.</translation>
</message>
<message>
<source>Tokens set to a length, with their attention mask</source>
<translation>Token, auf eine Länge gebracht, mit ihrer Attention-Maske</translation>
</message>
<message>
<source>Tokens whose embedding moved most</source>
<translation>Token, deren Embedding sich am weitesten bewegt hat</translation>
</message>
<message>
<source>Tokens with segment and position: Space changes the segment, Enter picks a token to swap</source>
<translation>Token mit Segment und Position: Leertaste ändert das Segment, Enter wählt ein Token zum Tauschen</translation>
</message>
<message>
<source>Tokens with similar input vectors lie close together, before any layer has read them. A and B lie apart because their segment vectors differ: choose “Token vectors” and look again.</source>
<translation>Token mit ähnlichen Eingabevektoren liegen nah beieinander, noch vor der ersten Schicht. A und B liegen getrennt, wenn ihre Segmentvektoren verschieden sind: „Token-Vektoren“ wählen und noch einmal hinsehen.</translation>
</message>
<message>
<source>Too far: up to {most} in a step; healthy runs stay below {limit}. Try a tenth of the learning rate.</source>
<translation>Zu weit: bis zu {most} in einem Schritt; gesunde Läufe bleiben unter {limit}. Ein Zehntel der Lernrate versuchen.</translation>
</message>
<message>
<source>Too few are chosen: one word in each draw.</source>
<translation>Zu wenige: Jedes Mal wird nur ein Wort ausgewählt.</translation>
</message>
<message>
<source>Too few became [MASK]: the random words were put in after it, and took some of its place.</source>
<translation>Zu wenige wurden [MASK]: Die Zufallswörter kamen danach und haben ihm Platz genommen.</translation>
</message>
<message>
<source>Too few examples: a slice has 20 at least, and as many are outside it.</source>
<translation>Zu wenige Beispiele: Ein Ausschnitt hat mindestens 20, und ebenso viele liegen außerhalb.</translation>
</message>
<message>
<source>Too few sentences</source>
<translation>Zu wenige Sätze</translation>
</message>
<message>
<source>Too few steps so far to say whether this is usual.</source>
<translation>Noch zu wenige Schritte, um zu sagen, ob das üblich ist.</translation>
</message>
<message>
<source>Too high.</source>
<translation>Zu hoch.</translation>
</message>
<message>
<source>Too low.</source>
<translation>Zu niedrig.</translation>
</message>
<message>
<source>Too many stayed: the 10% for random words were drawn anew, from what is left.</source>
<translation>Zu viele blieben stehen: Die 10 % Zufallswörter wurden neu gelost, aus dem, was übrig war.</translation>
</message>
<message>
<source>Top guess after each layer</source>
<translation>Erster Tipp nach jeder Schicht</translation>
</message>
<message>
<source>Top guess at each mask after each layer</source>
<translation>Erster Tipp für jede Maske nach jeder Schicht</translation>
</message>
<message>
<source>Top row: this model. Bottom row: the other one. A word in pieces has no vector of its own: its meaning must come from its pieces.</source>
<translation>Obere Reihe: dieses Modell. Untere Reihe: das andere. Ein Wort in Stücken hat keinen eigenen Vektor: Seine Bedeutung muss aus den Stücken kommen.</translation>
</message>
<message>
<source>Top row: {model}</source>
<translation>Obere Reihe: {model}</translation>
</message>
<message>
<source>Topics</source>
<translation>Themen</translation>
</message>
<message>
<source>Tour of the window</source>
<translation>Rundgang durch das Fenster</translation>
</message>
<message>
<source>Train</source>
<translation>Training</translation>
</message>
<message>
<source>Train a small model here and watch it learn</source>
<translation>Hier ein kleines Modell trainieren und ihm beim Lernen zusehen</translation>
</message>
<message>
<source>Train the runs that have not finished</source>
<translation>Die Läufe trainieren, die noch nicht fertig sind</translation>
</message>
<message>
<source>Train this world</source>
<translation>Diese Welt trainieren</translation>
</message>
<message>
<source>Trained</source>
<translation>Trainiert</translation>
</message>
<message>
<source>Trained in three ways</source>
<translation>Auf drei Arten trainiert</translation>
</message>
<message>
<source>Training a few steps to see how long they take…</source>
<translation>Einige Schritte werden trainiert, um zu sehen, wie lange sie dauern …</translation>
</message>
<message>
<source>Training chooses 15% of the tokens to be predicted: 80% of them become [MASK], 10% a random token, 10% stay as they are. Why not always [MASK]?</source>
<translation>Das Training wählt 15 % der Token zum Vorhersagen aus: 80 % davon werden zu [MASK], 10 % zu einem zufälligen Token, 10 % bleiben, wie sie sind. Warum nicht immer [MASK]?</translation>
</message>
<message>
<source>Training has finished after {time}.</source>
<translation>Das Training ist nach {time} fertig.</translation>
</message>
<message>
<source>Training longer will not help; the learning rate is probably too high or too low.</source>
<translation>Länger zu trainieren hilft nicht; wahrscheinlich ist die Lernrate zu hoch oder zu niedrig.</translation>
</message>
<message>
<source>Training loss, averaged: how wrong its guesses are.</source>
<translation>Trainings-Loss, gemittelt: wie falsch es rät.</translation>
</message>
<message>
<source>Training of bertscope-mini</source>
<translation>Training von bertscope-mini</translation>
</message>
<message>
<source>Training of bertscope-tiny</source>
<translation>Training von bertscope-tiny</translation>
</message>
<message>
<source>Training of bertscope-tiny-de</source>
<translation>Training von bertscope-tiny-de</translation>
</message>
<message>
<source>Training starts from what this model already knows.</source>
<translation>Das Training beginnt mit dem, was dieses Modell schon kann.</translation>
</message>
<message>
<source>Training step</source>
<translation>Trainingsschritt</translation>
</message>
<message>
<source>Training stopped at step {step}: {what} became infinite or undefined. Try a lower learning rate.</source>
<translation>Das Training endete bei Schritt {step}: {what} wurde unendlich oder undefiniert. Eine niedrigere Lernrate hilft meist.</translation>
</message>
<message>
<source>Treebanks (*.conllu *.gz *.xz);;All files (*)</source>
<translation>Baumbanken (*.conllu *.gz *.xz);;Alle Dateien (*)</translation>
</message>
<message>
<source>Try a fine-tuned model on your own text</source>
<translation>Ein feingetuntes Modell am eigenen Text ausprobieren</translation>
</message>
<message>
<source>Try a learning rate of {new} instead of {old}.</source>
<translation>Versuch: eine Lernrate von {new} statt {old}.</translation>
</message>
<message>
<source>Try a lower rate</source>
<translation>Kleinere Lernrate probieren</translation>
</message>
<message>
<source>Try a smaller model or smaller batches, and close other programs.</source>
<translation>Es hilft ein kleineres Modell oder ein kleinerer Batch; auch andere Programme zu schließen.</translation>
</message>
<message>
<source>Try five learning rates</source>
<translation>Fünf Lernraten probieren</translation>
</message>
<message>
<source>Try it in Apply</source>
<translation>In Anwenden ausprobieren</translation>
</message>
<message>
<source>Try it: a man and a woman</source>
<translation>Ausprobieren: ein Mann und eine Frau</translation>
</message>
<message>
<source>Try it: before and after learning from film reviews</source>
<translation>Ausprobieren: vor und nach dem Lernen aus Filmkritiken</translation>
</message>
<message>
<source>Try it: doctors and nurses</source>
<translation>Ausprobieren: doctor und nurse</translation>
</message>
<message>
<source>Try it: five texts</source>
<translation>Ausprobieren: fünf Texte</translation>
</message>
<message>
<source>Try it: right and wrong sentences</source>
<translation>Ausprobieren: richtige und falsche Sätze</translation>
</message>
<message>
<source>Try it: {model}, untrained and trained</source>
<translation>Ausprobieren: {model}, untrainiert und trainiert</translation>
</message>
<message>
<source>Try it…</source>
<translation>Ausprobieren …</translation>
</message>
<message>
<source>Try next-word prediction for the first half of the run.</source>
<translation>Versuch: in der ersten Hälfte des Laufs das nächste Wort vorhersagen.</translation>
</message>
<message>
<source>Try other words</source>
<translation>Andere Wörter</translation>
</message>
<message>
<source>Try starting from a pretrained model instead of random weights.</source>
<translation>Versuch: von einem vortrainierten Modell statt von zufälligen Gewichten ausgehen.</translation>
</message>
<message>
<source>Try the B of another example</source>
<translation>Das B eines anderen Beispiels ausprobieren</translation>
</message>
<message>
<source>Try training without frozen layers.</source>
<translation>Versuch: ohne eingefrorene Schichten trainieren.</translation>
</message>
<message>
<source>Try {new} steps instead of {old}.</source>
<translation>Versuch: {new} Schritte statt {old}.</translation>
</message>
<message>
<source>Try {task}</source>
<translation>{task} ausprobieren</translation>
</message>
<message>
<source>Two LSTM language models, one from each side; a weighted mean of their layers goes into the task’s own model</source>
<translation>Zwei LSTM-Sprachmodelle, von jeder Seite eines; ein gewichtetes Mittel ihrer Schichten geht in das eigene Modell der Aufgabe</translation>
</message>
<message>
<source>Two of the three parts are missing.</source>
<translation>Zwei der drei Teile fehlen.</translation>
</message>
<message>
<source>Two tell sentence A from sentence B.</source>
<translation>Zwei unterscheiden Satz A von Satz B.</translation>
</message>
<message>
<source>Two texts that differ in one word</source>
<translation>Zwei Texte, die sich in einem Wort unterscheiden</translation>
</message>
<message>
<source>Two vocabularies</source>
<translation>Zwei Vokabulare</translation>
</message>
<message>
<source>Type [MASK] where the model should predict a word.</source>
<translation>[MASK] dorthin schreiben, wo das Modell ein Wort vorhersagen soll.</translation>
</message>
<message>
<source>Type a second sentence in B to ask whether it follows A.</source>
<translation>In B einen zweiten Satz eintippen, um zu fragen, ob er auf A folgt.</translation>
</message>
<message>
<source>Type a second sentence in B to ask which of the two comes first.</source>
<translation>In B einen zweiten Satz eintippen, um zu fragen, welcher der beiden zuerst kommt.</translation>
</message>
<message>
<source>Type a second sentence in B to compare it with A.</source>
<translation>In B einen zweiten Satz eintippen, um ihn mit A zu vergleichen.</translation>
</message>
<message>
<source>Type a second text into B for a batch of two.</source>
<translation>Für einen Batch aus zwei Texten einen zweiten in B eingeben.</translation>
</message>
<message>
<source>Type a sentence</source>
<translation>Einen englischen Satz eintippen</translation>
</message>
<message>
<source>Type a sentence. Its words appear below; then choose the one to hide. Blank the projector while you type, or the class sees it.</source>
<translation>Tippt einen englischen Satz. Darunter erscheinen seine Wörter; wählt dann das, das verdeckt wird. Schaltet den Beamer beim Tippen dunkel, sonst sieht die Klasse es.</translation>
</message>
<message>
<source>Type a text in A.</source>
<translation>Einen Text in A eintippen.</translation>
</message>
<message>
<source>Type another word to follow</source>
<translation>Ein anderes Wort eintippen</translation>
</message>
<message>
<source>Type another word: every story will agree with it. Which boxes will say something else then?</source>
<translation>Ein anderes Wort eintippen: Jede Geschichte stimmt dann damit überein. Welche Kästchen werden danach etwas anderes sagen?</translation>
</message>
<message>
<source>Type or paste a text here</source>
<translation>Hier einen Text eintippen oder einfügen</translation>
</message>
<message>
<source>Type or paste the passage here</source>
<translation>Hier den Text eintippen oder einfügen</translation>
</message>
<message>
<source>Type or paste…</source>
<translation>Tippen oder einfügen…</translation>
</message>
<message>
<source>Type the beginning in A.</source>
<translation>Den Anfang in A eintippen.</translation>
</message>
<message>
<source>Type the question in A.</source>
<translation>Die Frage in A eintippen.</translation>
</message>
<message>
<source>Types: {types}</source>
<translation>Typen: {types}</translation>
</message>
<message>
<source>Typical words</source>
<translation>Typische Wörter</translation>
</message>
<message>
<source>Unchanged: {parts}.</source>
<translation>Unverändert: {parts}.</translation>
</message>
<message>
<source>Undo</source>
<translation>Rückgängig</translation>
</message>
<message>
<source>Undo every change inside the model</source>
<translation>Jede Änderung im Modell zurücknehmen</translation>
</message>
<message>
<source>Undo {action}</source>
<translation>Rückgängig: {action}</translation>
</message>
<message>
<source>Unit</source>
<translation>Einheit</translation>
</message>
<message>
<source>Unreadable</source>
<translation>Nicht lesbar</translation>
</message>
<message>
<source>Unsure</source>
<translation>Unsicher</translation>
</message>
<message>
<source>Untrained</source>
<translation>Untrainiert</translation>
</message>
<message>
<source>Use its output on the other text in all rooms</source>
<translation>In allen Räumen seine Ausgabe beim anderen Text einsetzen</translation>
</message>
<message>
<source>Use these lines</source>
<translation>Diese Zeilen verwenden</translation>
</message>
<message>
<source>Use this layer again</source>
<translation>Schicht wieder nutzen</translation>
</message>
<message>
<source>Use this text</source>
<translation>Diesen Text nehmen</translation>
</message>
<message>
<source>Value</source>
<translation>Value</translation>
</message>
<message>
<source>Values outside the range take the colour at its end</source>
<translation>Werte außerhalb des Bereichs haben die Farbe an seinem Ende</translation>
</message>
<message>
<source>Vectors from the encoder of a translation model, which has seen the whole sentence</source>
<translation>Vektoren aus dem Encoder eines Übersetzungsmodells, der den ganzen Satz gesehen hat</translation>
</message>
<message>
<source>Verified: this computer gets the numbers stored with the model; the largest difference is {difference}.</source>
<translation>Geprüft: Dieser Rechner kommt auf die Zahlen, die beim Modell liegen; der größte Unterschied ist {difference}.</translation>
</message>
<message>
<source>View</source>
<translation>Ansicht</translation>
</message>
<message>
<source>Views</source>
<translation>Ansichten</translation>
</message>
<message>
<source>Views for those who want to know more</source>
<translation>Ansichten für alle, die mehr wissen wollen</translation>
</message>
<message>
<source>Vocabulary</source>
<translation>Vokabular</translation>
</message>
<message>
<source>Vocabulary size</source>
<translation>Größe des Vokabulars</translation>
</message>
<message>
<source>Wait until the run is done, or stop it: two at once take twice as long.</source>
<translation>Warten, bis der Lauf fertig ist, oder ihn beenden: Zwei zugleich dauern doppelt so lange.</translation>
</message>
<message>
<source>Waiting</source>
<translation>Wartet</translation>
</message>
<message>
<source>Wanted / unwanted</source>
<translation>Gewollt / ungewollt</translation>
</message>
<message>
<source>Warm-up</source>
<translation>Anlaufen (Warm-up)</translation>
</message>
<message>
<source>Warning: on the page “{page}” the answer may be read off what stands below the question, text or task; add “:: cover {parts}”, or say it otherwise.</source>
<translation>Warnung: Auf der Seite „{page}“ verrät vielleicht, was unter der Frage steht (Text oder Aufgabe), die Antwort; „:: cover {parts}“ ergänzen oder es anders sagen.</translation>
</message>
<message>
<source>Warning: on the page “{page}” the answer stays visible; add “:: cover {parts}”.</source>
<translation>Warnung: Auf der Seite „{page}“ bleibt die Antwort sichtbar; ergänze „:: cover {parts}“.</translation>
</message>
<message>
<source>Was the token replaced?</source>
<translation>Wurde das Token ersetzt?</translation>
</message>
<message>
<source>Watch it learn</source>
<translation>Beim Lernen zusehen</translation>
</message>
<message>
<source>Weight × value, summed up and added to the token’s line</source>
<translation>Gewicht × Value, aufsummiert und zur Linie des Tokens addiert</translation>
</message>
<message>
<source>Weights</source>
<translation>Gewichte</translation>
</message>
<message>
<source>What a paper reports, in percent; not measured here.</source>
<translation>Was ein Paper berichtet, in Prozent; nicht hier gemessen.</translation>
</message>
<message>
<source>What can be read off?</source>
<translation>Ablesbares</translation>
</message>
<message>
<source>What changes without it?</source>
<translation>Was ändert sich ohne es?</translation>
</message>
<message>
<source>What comes after</source>
<translation>Was danach kommt</translation>
</message>
<message>
<source>What comes out</source>
<translation>Was herauskommt</translation>
</message>
<message>
<source>What comes out with all parts, with only the highlighted ones, without them, and in the other text</source>
<translation>Was mit allen Teilen herauskommt, nur mit den hervorgehobenen, ohne sie und im anderen Text</translation>
</message>
<message>
<source>What did training change?</source>
<translation>Was hat das Training verändert?</translation>
</message>
<message>
<source>What differs</source>
<translation>Was anders ist</translation>
</message>
<message>
<source>What differs in the settings</source>
<translation>Was sich in den Einstellungen unterscheidet</translation>
</message>
<message>
<source>What does this head seem to do? Which token pairs show it?</source>
<translation>Was scheint dieser Kopf zu tun? An welchen Tokenpaaren sieht man das?</translation>
</message>
<message>
<source>What each attention head looks at</source>
<translation>Worauf jeder Attention-Kopf schaut</translation>
</message>
<message>
<source>What each head does</source>
<translation>Was jeder Kopf tut</translation>
</message>
<message>
<source>What each is worth</source>
<translation>Was jeder Teil wert ist</translation>
</message>
<message>
<source>What each part adds</source>
<translation>Was jeder Teil beiträgt</translation>
</message>
<message>
<source>What each part adds to the logit of the word</source>
<translation>Was jeder Teil zum Logit des Wortes beiträgt</translation>
</message>
<message>
<source>What everything is compared with: another model, step or text</source>
<translation>Womit alles verglichen wird: ein anderes Modell, ein anderer Schritt oder ein anderer Text</translation>
</message>
<message>
<source>What fires it?</source>
<translation>Auslöser</translation>
</message>
<message>
<source>What fires?</source>
<translation>Was feuert?</translation>
</message>
<message>
<source>What fits at “{mask}”?</source>
<translation>Was passt bei „{mask}“?</translation>
</message>
<message>
<source>What happened, line by line</source>
<translation>Was geschah, Zeile für Zeile</translation>
</message>
<message>
<source>What happens next? (SWAG)</source>
<translation>Was geschieht als Nächstes? (SWAG)</translation>
</message>
<message>
<source>What if</source>
<translation>Was wäre, wenn</translation>
</message>
<message>
<source>What if the token of a row looked more at that of a column? Red: the answer would become more likely. Blue: less likely. An estimate, whether the head looks there now or not.</source>
<translation>Was, wenn das Token einer Zeile mehr auf das einer Spalte schaute? Rot: Die Antwort würde wahrscheinlicher. Blau: unwahrscheinlicher. Eine Schätzung, ob der Kopf nun dorthin schaut oder nicht.</translation>
</message>
<message>
<source>What if:  {changes}</source>
<translation>Was wäre, wenn:  {changes}</translation>
</message>
<message>
<source>What is behind {mask}?</source>
<translation>Was ist {mask}?</translation>
</message>
<message>
<source>What is done with each head</source>
<translation>Was mit jedem Kopf geschieht</translation>
</message>
<message>
<source>What is hidden here?</source>
<translation>Was ist hier verdeckt?</translation>
</message>
<message>
<source>What is inside</source>
<translation>Was enthalten ist</translation>
</message>
<message>
<source>What is kept</source>
<translation>Was bleibt</translation>
</message>
<message>
<source>What is masked</source>
<translation>Was maskiert wird</translation>
</message>
<message>
<source>What is measured</source>
<translation>Was gemessen wird</translation>
</message>
<message>
<source>What is padded</source>
<translation>Was aufgefüllt wird</translation>
</message>
<message>
<source>What is taken out</source>
<translation>Was weggenommen wird</translation>
</message>
<message>
<source>What it did</source>
<translation>Was er bewirkt hat</translation>
</message>
<message>
<source>What it guessed at each saved step of its training. Type a sentence with a [MASK].</source>
<translation>Was es bei jedem gespeicherten Schritt seines Trainings geraten hat. Einen Satz mit [MASK] eintippen.</translation>
</message>
<message>
<source>What it learns about two sentences, besides predicting masked words.</source>
<translation>Was es außer den maskierten Wörtern über zwei Sätze lernt.</translation>
</message>
<message>
<source>What it looks at</source>
<translation>Worauf es schaut</translation>
</message>
<message>
<source>What it reads in one step: examples and their right answers. It learns from its mistakes.</source>
<translation>Was es in einem Schritt liest: Beispiele und ihre richtigen Antworten. Es lernt aus seinen Fehlern.</translation>
</message>
<message>
<source>What it reads in one step: it has to guess what is hidden, and learns from its mistakes.</source>
<translation>Was es in einem Schritt liest: Es muss erraten, was verdeckt ist, und lernt aus seinen Fehlern.</translation>
</message>
<message>
<source>What it was fine-tuned for, and how well it does.</source>
<translation>Wofür es feingetunt wurde und wie gut es ist.</translation>
</message>
<message>
<source>What layers add</source>
<translation>Was Schichten hinzufügen</translation>
</message>
<message>
<source>What several heads look at on average: all of this layer, or those that you Ctrl+click on the left. Each row is a token that looks, each column a token it looks at.</source>
<translation>Worauf mehrere Köpfe im Mittel schauen: alle dieser Schicht oder die, die links mit Strg+Klick gewählt sind. Jede Zeile ist ein Token, das schaut, jede Spalte ein Token, auf das es schaut.</translation>
</message>
<message>
<source>What stands before</source>
<translation>Was davor steht</translation>
</message>
<message>
<source>What the best head of each relation finds on the other half</source>
<translation>Was der beste Kopf jeder Beziehung auf der anderen Hälfte findet</translation>
</message>
<message>
<source>What the class guessed</source>
<translation>Was die Klasse getippt hat</translation>
</message>
<message>
<source>What the colours are</source>
<translation>Wofür die Farben stehen</translation>
</message>
<message>
<source>What the film strip shows</source>
<translation>Was der Filmstreifen zeigt</translation>
</message>
<message>
<source>What the fine-tuned model answers</source>
<translation>Was das feingetunte Modell antwortet</translation>
</message>
<message>
<source>What the head adds to ln p of “{first}” − ln p of “{second}”, in nats.</source>
<translation>Was der Kopf zu ln p von „{first}“ − ln p von „{second}“ beiträgt, in Nat.</translation>
</message>
<message>
<source>What the head adds to ln p, in nats: with +1 nat the prediction is 2.7 times as likely.</source>
<translation>Was der Kopf zu ln p beiträgt, in Nat: Mit +1 Nat ist die Vorhersage 2,7-mal so wahrscheinlich.</translation>
</message>
<message>
<source>What the head adds to the score.</source>
<translation>Was der Kopf zum Wert beiträgt.</translation>
</message>
<message>
<source>What the heads found is added to each line, so nothing that was there is lost.</source>
<translation>Was die Köpfe gefunden haben, wird zu jeder Linie addiert; so geht nichts verloren, was da war.</translation>
</message>
<message>
<source>What the horizontal axis shows</source>
<translation>Was die waagerechte Achse zeigt</translation>
</message>
<message>
<source>What the large picture shows</source>
<translation>Was das große Bild zeigt</translation>
</message>
<message>
<source>What the length of the summary counts</source>
<translation>Was die Länge der Zusammenfassung zählt</translation>
</message>
<message>
<source>What the mask could be</source>
<translation>Was die Maske sein könnte</translation>
</message>
<message>
<source>What the model answers while it learns</source>
<translation>Was das Modell antwortet, während es lernt</translation>
</message>
<message>
<source>What the model guessed</source>
<translation>Was das Modell getippt hat</translation>
</message>
<message>
<source>What the model predicted, and what it predicts with your changes.</source>
<translation>Was das Modell vorhergesagt hat und was es mit den Änderungen vorhersagt.</translation>
</message>
<message>
<source>What the model read in a step: examples, right answers, and how wrong it was</source>
<translation>Was das Modell in einem Schritt gelesen hat: Beispiele, richtige Antworten und wie falsch es lag</translation>
</message>
<message>
<source>What the model read in a step: hidden words, pairs, and how wrong it was</source>
<translation>Was das Modell in einem Schritt gelesen hat: verdeckte Wörter, Paare, und wie falsch es lag</translation>
</message>
<message>
<source>What the model reads</source>
<translation>Was das Modell liest</translation>
</message>
<message>
<source>What the model reads; framed: chosen to be predicted. Below each: how likely it finds the original token.</source>
<translation>Was das Modell liest; umrahmt: zum Vorhersagen gewählt. Darunter: für wie wahrscheinlich es das ursprüngliche Token hält.</translation>
</message>
<message>
<source>What the model says about each</source>
<translation>Was das Modell zu jedem sagt</translation>
</message>
<message>
<source>What the model says about each text</source>
<translation>Was das Modell zu jedem Text sagt</translation>
</message>
<message>
<source>What the model will learn from, and how much time and memory training will take.</source>
<translation>Woraus das Modell lernen wird und wie viel Zeit und Speicher das Training braucht.</translation>
</message>
<message>
<source>What the neurons found is added to each line.</source>
<translation>Was die Neuronen gefunden haben, wird zu jeder Linie addiert.</translation>
</message>
<message>
<source>What the number counts</source>
<translation>Was die Zahl zählt</translation>
</message>
<message>
<source>What the same parts keep of the difference in other pairs of texts</source>
<translation>Was mit denselben Teilen vom Unterschied anderer Textpaare bleibt</translation>
</message>
<message>
<source>What the sweep found</source>
<translation>Was die Versuchsreihe ergab</translation>
</message>
<message>
<source>What this head adds to the answer: above 0, it makes the answer more likely.</source>
<translation>Was dieser Kopf zur Antwort beiträgt: über 0 macht er sie wahrscheinlicher.</translation>
</message>
<message>
<source>What this part adds to the logit of the word; all parts and biases add up to it.</source>
<translation>Was dieser Teil zum Logit des Wortes beiträgt; alle Teile und Biases ergeben ihn zusammen.</translation>
</message>
<message>
<source>What this room shows</source>
<translation>Was dieser Raum zeigt</translation>
</message>
<message>
<source>What this token looks at</source>
<translation>Worauf dieses Token schaut</translation>
</message>
<message>
<source>What to do</source>
<translation>Was zu tun ist</translation>
</message>
<message>
<source>What to learn from</source>
<translation>Woraus gelernt wird</translation>
</message>
<message>
<source>What to swap in</source>
<translation>Was ausgetauscht wird</translation>
</message>
<message>
<source>What to train</source>
<translation>Was trainiert wird</translation>
</message>
<message>
<source>What went in</source>
<translation>Was hineinging</translation>
</message>
<message>
<source>What would be lost?</source>
<translation>Verluste</translation>
</message>
<message>
<source>What you see is in the clipboard, as the lines of a page; paste it into your lesson.</source>
<translation>Was zu sehen ist, steht als Zeilen einer Seite in der Zwischenablage; in die eigene Lektion einfügen.</translation>
</message>
<message>
<source>What {row} takes over from {column}</source>
<translation>Was {row} von {column} übernimmt</translation>
</message>
<message>
<source>What “{token}” looks at</source>
<translation>Worauf „{token}“ schaut</translation>
</message>
<message>
<source>When does the model make up its mind? See what it would guess if it stopped after each layer, and where the guess stops changing.</source>
<translation>Wann legt sich das Modell fest? Hier ist zu sehen, was es raten würde, wenn es nach jeder Schicht aufhörte, und ab wann der Tipp gleich bleibt.</translation>
</message>
<message>
<source>Where `allowed` is False, set the score to a very low number, such as -1e9, before the softmax.</source>
<translation>Wo `allowed` False ist, den Score vor der Softmax sehr klein machen, etwa -1e9.</translation>
</message>
<message>
<source>Where a run begins with a warm-up (grey), it predicts the next word there, which gets it started sooner.</source>
<translation>Wo ein Lauf mit einem Warm-up beginnt (grau), sagt er dort das nächste Wort voraus; so kommt er schneller in Gang.</translation>
</message>
<message>
<source>Where are the parameters?</source>
<translation>Wo sind die Parameter?</translation>
</message>
<message>
<source>Where do two texts or two models differ: at which token, and from which layer on?</source>
<translation>Wo unterscheiden sich zwei Texte oder zwei Modelle: bei welchem Token, und ab welcher Schicht?</translation>
</message>
<message>
<source>Where does one attention weight come from, and what does it do? A token’s query is multiplied by the key of every token: the better they match, the more of that token’s value it takes over.</source>
<translation>Woher kommt ein Attention-Gewicht, und was bewirkt es? Die Query eines Tokens wird mit dem Key jedes Tokens multipliziert: Je besser sie zusammenpassen, desto mehr vom Value jenes Tokens übernimmt es.</translation>
</message>
<message>
<source>Where does the model treat a word like the one you selected, and where does it see the same word differently? Select a token and a layer.</source>
<translation>Wo behandelt das Modell ein Wort wie das gewählte, und wo sieht es dasselbe Wort anders? Ein Token und eine Schicht wählen.</translation>
</message>
<message>
<source>Where else?</source>
<translation>Wo noch?</translation>
</message>
<message>
<source>Where in a passage is the answer to a question? It works best with short, plain questions.</source>
<translation>Wo in einem Textabschnitt steht die Antwort auf eine Frage? Am besten geht es mit kurzen, einfachen Fragen.</translation>
</message>
<message>
<source>Where is a fine-tuned model right, and where is it wrong: for which label, which length, which word? And which one word would change its answer?</source>
<translation>Wo liegt ein feingetuntes Modell richtig, wo falsch: bei welchem Label, welcher Länge, welchem Wort? Und welches eine Wort würde seine Antwort ändern?</translation>
</message>
<message>
<source>Where is it worse, or better?</source>
<translation>Wo ist es schlechter, wo besser?</translation>
</message>
<message>
<source>Where is the difference?</source>
<translation>Wo ist der Unterschied?</translation>
</message>
<message>
<source>Where its meanings separate</source>
<translation>Wo sich seine Bedeutungen trennen</translation>
</message>
<message>
<source>Where the best heads look in one sentence</source>
<translation>Die besten Köpfe in einem Satz</translation>
</message>
<message>
<source>Which collection of texts to look at</source>
<translation>Welche Sammlung von Texten betrachtet wird</translation>
</message>
<message>
<source>Which colour is which head</source>
<translation>Welche Farbe welcher Kopf ist</translation>
</message>
<message>
<source>Which contexts</source>
<translation>Welche Kontexte</translation>
</message>
<message>
<source>Which examples</source>
<translation>Welche Beispiele</translation>
</message>
<message>
<source>Which head finds which relation?</source>
<translation>Welcher Kopf findet welche Beziehung?</translation>
</message>
<message>
<source>Which heads are alike</source>
<translation>Welche Köpfe sich ähneln</translation>
</message>
<message>
<source>Which heads look at the token just before? Which at the one just after?</source>
<translation>Welche Köpfe schauen auf das Token direkt davor? Welche auf das direkt danach?</translation>
</message>
<message>
<source>Which heads look from one of your words to another?</source>
<translation>Welche Köpfe schauen von einem Wort des Textes auf ein anderes?</translation>
</message>
<message>
<source>Which heads make the difference?</source>
<translation>Welche Köpfe machen den Unterschied?</translation>
</message>
<message>
<source>Which layers are alike?</source>
<translation>Welche Schichten sind sich ähnlich?</translation>
</message>
<message>
<source>Which lines are drawn</source>
<translation>Welche Linien gezeichnet werden</translation>
</message>
<message>
<source>Which part says what?</source>
<translation>Welcher Teil sagt was?</translation>
</message>
<message>
<source>Which parts made the answer: heads above, feed-forward networks below, arrows between</source>
<translation>Welche Teile die Antwort machten: oben Köpfe, unten Feed-Forward-Netze, dazwischen Pfeile</translation>
</message>
<message>
<source>Which parts made this?</source>
<translation>Welche Teile zählen?</translation>
</message>
<message>
<source>Which parts made “{answer}”?</source>
<translation>Welche Teile machten „{answer}“?</translation>
</message>
<message>
<source>Which place the token has, as {width} learned numbers; length {length}.</source>
<translation>An welchem Platz das Token steht, als {width} gelernte Zahlen; Länge {length}.</translation>
</message>
<message>
<source>Which sentence the token is in, as {width} learned numbers; length {length}.</source>
<translation>In welchem Satz das Token steht, als {width} gelernte Zahlen; Länge {length}.</translation>
</message>
<message>
<source>Which sentences did the model find easy, and which did you? It has only read about the world, never seen it.</source>
<translation>Welche Sätze fand das Modell leicht, und welche die Klasse? Es hat von der Welt nur gelesen und sie nie gesehen.</translation>
</message>
<message>
<source>Which token embeddings moved most?</source>
<translation>Welche Token-Embeddings haben sich am weitesten bewegt?</translation>
</message>
<message>
<source>Which token it is, as {width} learned numbers; length {length}.</source>
<translation>Welches Token es ist, als {width} gelernte Zahlen; Länge {length}.</translation>
</message>
<message>
<source>Which token looks at which</source>
<translation>Welches Token welches ansieht</translation>
</message>
<message>
<source>Which tokens are connected</source>
<translation>Welche Token verbunden sind</translation>
</message>
<message>
<source>Which tokens look replaced?</source>
<translation>Welche Token sehen ersetzt aus?</translation>
</message>
<message>
<source>Which vectors the map shows</source>
<translation>Welche Vektoren die Karte zeigt</translation>
</message>
<message>
<source>Which word at [MASK]? Empty: the most likely one</source>
<translation>Welches Wort an [MASK]? Leer: das wahrscheinlichste</translation>
</message>
<message>
<source>Which word would change it?</source>
<translation>Welches Wort würde sie ändern?</translation>
</message>
<message>
<source>Which words decided</source>
<translation>Welche Wörter entscheiden</translation>
</message>
<message>
<source>Which words name people, places or organisations? It learned from 1990s news reports.</source>
<translation>Welche Wörter benennen Personen, Orte oder Organisationen? Gelernt hat es aus Nachrichten der 1990er-Jahre.</translation>
</message>
<message>
<source>Which words the model predicts for a mask, and whether B follows A</source>
<translation>Welche Wörter das Modell für eine Maske vorhersagt und ob B auf A folgt</translation>
</message>
<message>
<source>While the learning rate is high, the loss should keep falling; a different rate may get it moving again.</source>
<translation>Solange die Lernrate hoch ist, sollte der Loss weiter fallen; eine andere Rate bringt ihn vielleicht wieder in Bewegung.</translation>
</message>
<message>
<source>Who does the pronoun refer to? (WNLI)</source>
<translation>Auf wen bezieht sich das Pronomen? (WNLI)</translation>
</message>
<message>
<source>Who has won?</source>
<translation>Wer hat gewonnen?</translation>
</message>
<message>
<source>Who looks at whom</source>
<translation>Wer wohin schaut</translation>
</message>
<message>
<source>Who looks, and who acts?</source>
<translation>Wer schaut hin, und wer bewirkt etwas?</translation>
</message>
<message>
<source>Whole words</source>
<translation>Ganze Wörter</translation>
</message>
<message>
<source>Whole words and spans are harder to guess than single tokens.</source>
<translation>Ganze Wörter und Wortfolgen sind schwerer zu erraten als einzelne Token.</translation>
</message>
<message>
<source>Whose numbers</source>
<translation>Wessen Zahlen</translation>
</message>
<message>
<source>Why it was made</source>
<translation>Wozu es gemacht wurde</translation>
</message>
<message>
<source>Why this prediction:</source>
<translation>Warum diese Vorhersage:</translation>
</message>
<message>
<source>Width</source>
<translation>Breite</translation>
</message>
<message>
<source>Width of the feed-forward layer; usually four times the hidden size.</source>
<translation>Breite der Feed-Forward-Schicht; üblich ist das Vierfache der Breite der Hidden States.</translation>
</message>
<message>
<source>Width of these layers</source>
<translation>Breite dieser Schichten</translation>
</message>
<message>
<source>With --hints it says what would put it right.</source>
<translation>Mit --hints steht dabei, was zu ändern ist.</translation>
</message>
<message>
<source>With 0.9 each layer learns a tenth more slowly than the one above it.</source>
<translation>Bei 0,9 lernt jede Schicht um ein Zehntel langsamer als die darüber.</translation>
</message>
<message>
<source>With another text the map shows which heads and feed-forward networks make the answer differ, arrows for what one passes on to another, and how few of them are enough.</source>
<translation>Mit einem zweiten Text zeigt die Karte, welche Köpfe und Feed-Forward-Netze die Antwort ändern, mit Pfeilen, was einer an den anderen weitergibt, und wie wenige davon genügen.</translation>
</message>
<message>
<source>With another text you get a table of experiments, a row for each layer and a column for each token: in each, the numbers computed there come from the other text. Red squares move the answer to that of the other text.</source>
<translation>Mit einem zweiten Text entsteht eine Tabelle von Versuchen, mit einer Zeile je Schicht und einer Spalte je Token: In jedem kommen die dort berechneten Zahlen aus dem anderen Text. Rote Felder rücken die Antwort zu der des anderen Textes.</translation>
</message>
<message>
<source>With several words missing, each guess changes the next. Fill them in one at a time, then in another order: do you get the same text?</source>
<translation>Fehlen mehrere Wörter, ändert jeder Tipp den nächsten. Sie eines nach dem anderen füllen, dann in anderer Reihenfolge: Kommt derselbe Text heraus?</translation>
</message>
<message>
<source>With so few, one right answer more or less may be chance.</source>
<translation>Bei so wenigen kann eine richtige Antwort mehr oder weniger Zufall sein.</translation>
</message>
<message>
<source>With the baseline: “{word}”, {share}.</source>
<translation>Im Vergleich: „{word}“, {share}.</translation>
</message>
<message>
<source>With this text {now}.</source>
<translation>Mit diesem Text: {now}.</translation>
</message>
<message>
<source>With this text {now}; with every word masked {then}.</source>
<translation>Mit diesem Text: {now}; mit lauter maskierten Wörtern: {then}.</translation>
</message>
<message>
<source>With {what} swapped in, {score}: {share} of the way to the other text.</source>
<translation>Ausgetauscht: {what}. Ergebnis: {score}; {share} des Wegs zum anderen Text.</translation>
</message>
<message>
<source>With “{row}”: {finding}</source>
<translation>Mit „{row}“: {finding}</translation>
</message>
<message>
<source>Within A, within B</source>
<translation>Innerhalb A, innerhalb B</translation>
</message>
<message>
<source>Without a mask, watch “B follows A”.</source>
<translation>Ohne Maske auf „B folgt auf A“ achten.</translation>
</message>
<message>
<source>Without segment and position, the same word is one point wherever it stands.</source>
<translation>Ohne Segment und Position ist dasselbe Wort ein einziger Punkt, egal wo es steht.</translation>
</message>
<message>
<source>Without the attention mask the tokens give {share} of their attention to [PAD], and their last hidden states move by {moved} of their norm.</source>
<translation>Ohne die Attention-Maske geben die Token {share} ihrer Attention an [PAD], und ihre letzten Hidden States verschieben sich um {moved} ihrer Norm.</translation>
</message>
<message>
<source>Without them, {without} is left.</source>
<translation>Ohne sie bleiben {without}.</translation>
</message>
<message>
<source>Word</source>
<translation>Wort</translation>
</message>
<message>
<source>Word to follow through the layers</source>
<translation>Wort, dem durch die Schichten gefolgt wird</translation>
</message>
<message>
<source>Word to score at [MASK]</source>
<translation>Wort, das bei [MASK] bewertet wird</translation>
</message>
<message>
<source>Words</source>
<translation>Wörter</translation>
</message>
<message>
<source>Words explained</source>
<translation>Erklärte Begriffe</translation>
</message>
<message>
<source>Words filled in, in order</source>
<translation>Eingesetzte Wörter, der Reihe nach</translation>
</message>
<message>
<source>Words of the 50 nearest</source>
<translation>Wörter der 50 nächsten</translation>
</message>
<message>
<source>Words or pieces of words, with markers such as [CLS] and [SEP].</source>
<translation>Wörter oder Wortstücke, mit Marken wie [CLS] und [SEP].</translation>
</message>
<message>
<source>Words pushed down</source>
<translation>Geschwächte Wörter</translation>
</message>
<message>
<source>Words pushed up</source>
<translation>Gestärkte Wörter</translation>
</message>
<message>
<source>Words that it makes more likely</source>
<translation>Wörter, die es wahrscheinlicher macht</translation>
</message>
<message>
<source>Words that the neuron promotes</source>
<translation>Wörter, die das Neuron fördert</translation>
</message>
<message>
<source>Words whose vectors lie close by (Euclidean distance)</source>
<translation>Wörter, deren Vektoren in der Nähe liegen (euklidischer Abstand)</translation>
</message>
<message>
<source>Words whose vectors point in a similar direction</source>
<translation>Wörter, deren Vektoren in eine ähnliche Richtung zeigen</translation>
</message>
<message>
<source>Words, tokens, embeddings, layers and answers in one picture</source>
<translation>Wörter, Token, Embeddings, Schichten und Antworten in einem Bild</translation>
</message>
<message>
<source>Words: all pieces of a word are masked together, and their surprise added up.</source>
<translation>Wörter: Alle Stücke eines Worts werden zusammen maskiert, ihre Überraschung wird addiert.</translation>
</message>
<message>
<source>Words: plain or technical</source>
<translation>Begriffe: einfach oder fachlich</translation>
</message>
<message>
<source>Write a few texts first, one per line.</source>
<translation>Zuerst ein paar Texte schreiben, einen pro Zeile.</translation>
</message>
<message>
<source>Write a number, such as 12 or 40%.</source>
<translation>Schreibe eine Zahl, zum Beispiel 12 oder 40 %.</translation>
</message>
<message>
<source>Write a sentence yourselves</source>
<translation>Selbst einen Satz schreiben</translation>
</message>
<message>
<source>Write your five guesses before you look at the model’s (in BERTscope: Predict &gt; Words).</source>
<translation>Zuerst die eigenen fünf Wörter aufschreiben, dann die des Modells ansehen (in BERTscope: Vorhersagen &gt; Wörter).</translation>
</message>
<message>
<source>Write “:: option-if CONDITION : text”.</source>
<translation>Richtig ist „:: option-if BEDINGUNG : Text“.</translation>
</message>
<message>
<source>Wrong</source>
<translation>Falsch</translation>
</message>
<message>
<source>Year</source>
<translation>Jahr</translation>
</message>
<message>
<source>Yes</source>
<translation>Ja</translation>
</message>
<message>
<source>You edited this row: the model used {weight} instead of the softmax result.</source>
<translation>Diese Zeile ist bearbeitet: Das Modell hat {weight} statt des Softmax-Ergebnisses benutzt.</translation>
</message>
<message>
<source>You get a bar for each part of the model: how much its weights changed. Compare the model with an earlier step of its training, or with the model it was fine-tuned from.</source>
<translation>Es entsteht ein Balken für jeden Teil des Modells: wie stark sich seine Gewichte geändert haben. Dazu wird das Modell mit einem früheren Schritt seines Trainings verglichen oder mit dem Modell, von dem aus es feingetunt wurde.</translation>
</message>
<message>
<source>You get a square for each token and layer. Stronger colour: its numbers differ more between the two. Choose another text, model or step under “Compare” at the top.</source>
<translation>Es entsteht ein Feld für jedes Token und jede Schicht. Kräftigere Farbe: Die Zahlen unterscheiden sich mehr. Oben unter „Vergleichen“ lässt sich ein anderer Text, ein anderes Modell oder ein anderer Schritt wählen.</translation>
</message>
<message>
<source>You see this text and model alone. Press D for the difference, hold X for the baseline.</source>
<translation>Zu sehen sind nur dieser Text und dieses Modell. D zeigt den Unterschied, X (gehalten) den Vergleich.</translation>
</message>
<message>
<source>Your answer</source>
<translation>Deine Antwort</translation>
</message>
<message>
<source>Your changes inside the model are included.</source>
<translation>Die Änderungen im Modell sind mitgerechnet.</translation>
</message>
<message>
<source>Your name</source>
<translation>Dein Name</translation>
</message>
<message>
<source>Your own collection</source>
<translation>Eigene Sammlung</translation>
</message>
<message>
<source>Your own sentence…</source>
<translation>Ein eigener Satz…</translation>
</message>
<message>
<source>Your sentence</source>
<translation>Euer Satz</translation>
</message>
<message>
<source>Your texts</source>
<translation>Eigene Texte</translation>
</message>
<message>
<source>Zip file (*.zip)</source>
<translation>Zip-Datei (*.zip)</translation>
</message>
<message>
<source>Zoom out to the whole matrix (0)</source>
<translation>Auf die ganze Matrix verkleinern (0)</translation>
</message>
<message>
<source>[CLS], [SEP] and padding are chosen, too.</source>
<translation>Auch [CLS], [SEP] und Padding werden ausgewählt.</translation>
</message>
<message>
<source>`allowed` is about what is looked at, the columns: `np.where(allowed, scores, -1e9)`.</source>
<translation>`allowed` meint, worauf geschaut wird, also die Spalten: `np.where(allowed, scores, -1e9)`.</translation>
</message>
<message>
<source>a file of my own</source>
<translation>eine eigene Datei</translation>
</message>
<message>
<source>a flat map (PCA): it shows {share} of the differences</source>
<translation>eine flache Karte (PCA): Sie zeigt {share} der Unterschiede</translation>
</message>
<message>
<source>a little surprising</source>
<translation>etwas überraschend</translation>
</message>
<message>
<source>a random word instead</source>
<translation>ein zufälliges Wort stattdessen</translation>
</message>
<message>
<source>a share of ln p, in nats</source>
<translation>ein Anteil an ln p, in Nat</translation>
</message>
<message>
<source>a special token; it is never predicted</source>
<translation>ein Spezialtoken; es wird nie vorhergesagt</translation>
</message>
<message>
<source>a special token; the model predicts nothing here</source>
<translation>ein besonderes Token; hier sagt das Modell nichts vorher</translation>
</message>
<message>
<source>a weight</source>
<translation>ein Gewicht</translation>
</message>
<message>
<source>a · W₂ + b</source>
<translation>a · W₂ + b</translation>
</message>
<message>
<source>a, the – its noun</source>
<translation>Artikel – sein Nomen</translation>
</message>
<message>
<source>about {count} tokens</source>
<translation>etwa {count} Token</translation>
</message>
<message>
<source>accuracy</source>
<translation>Genauigkeit</translation>
</message>
<message>
<source>activation</source>
<translation>Aktivierung</translation>
</message>
<message>
<source>added</source>
<translation>addiert</translation>
</message>
<message>
<source>adjective – its noun</source>
<translation>Adjektiv – sein Nomen</translation>
</message>
<message>
<source>adverb – its word</source>
<translation>Adverb – sein Wort</translation>
</message>
<message>
<source>after</source>
<translation>nachher</translation>
</message>
<message>
<source>after layer {layer}</source>
<translation>nach Schicht {layer}</translation>
</message>
<message>
<source>after {x} h</source>
<translation>nach {x} h</translation>
</message>
<message>
<source>after {x} min</source>
<translation>nach {x} min</translation>
</message>
<message>
<source>after {x} s</source>
<translation>nach {x} s</translation>
</message>
<message>
<source>after {x} tokens</source>
<translation>nach {x} Token</translation>
</message>
<message>
<source>against</source>
<translation>dagegen</translation>
</message>
<message>
<source>against the teacher’s predictions</source>
<translation>gegen die Vorhersagen des Lehrers</translation>
</message>
<message>
<source>all heads · W_O + b</source>
<translation>alle Köpfe · W_O + b</translation>
</message>
<message>
<source>all of them added up: what head {head} collects for {row}</source>
<translation>alle addiert: was Kopf {head} für {row} sammelt</translation>
</message>
<message>
<source>all right</source>
<translation>alles in Ordnung</translation>
</message>
<message>
<source>always the commonest answer</source>
<translation>immer die häufigste Antwort</translation>
</message>
<message>
<source>always the most common answer: {share}</source>
<translation>immer die häufigste Antwort: {share}</translation>
</message>
<message>
<source>always the most frequent: {share}</source>
<translation>immer das häufigste: {share}</translation>
</message>
<message numerus="yes">
<source>and %n more</source>
<translation>
<numerusform>und %n weitere</numerusform>
<numerusform>und %n weitere</numerusform>
</translation>
</message>
<message numerus="yes">
<source>and %n more</source>
<comment>heads</comment>
<translation>
<numerusform>und %n weiterer</numerusform>
<numerusform>und %n weitere</numerusform>
</translation>
</message>
<message numerus="yes">
<source>and %n more mask(s)</source>
<translation>
<numerusform>und %n weitere Maske</numerusform>
<numerusform>und %n weitere Masken</numerusform>
</translation>
</message>
<message>
<source>and {count} more</source>
<translation>und {count} weitere</translation>
</message>
<message>
<source>and, or – what it joins</source>
<translation>und, oder – was es verbindet</translation>
</message>
<message>
<source>another run is there now</source>
<translation>dort ist jetzt ein anderer Lauf</translation>
</message>
<message>
<source>answer</source>
<translation>antworten</translation>
</message>
<message>
<source>answer</source>
<comment>noun</comment>
<translation>Antwort</translation>
</message>
<message>
<source>answer in this window</source>
<translation>Antwort in diesem Fenster</translation>
</message>
<message>
<source>answered</source>
<translation>beantwortet</translation>
</message>
<message>
<source>answered correctly</source>
<translation>richtig beantwortet</translation>
</message>
<message>
<source>answered in {ms} ms</source>
<translation>Antwort in {ms} ms</translation>
</message>
<message>
<source>answered incorrectly</source>
<translation>falsch beantwortet</translation>
</message>
<message>
<source>any two tokens</source>
<translation>zwei beliebige Token</translation>
</message>
<message>
<source>as long as the longer text (at most {count})</source>
<translation>so lang wie der längere Text (höchstens {count})</translation>
</message>
<message>
<source>as measured</source>
<translation>wie gemessen</translation>
</message>
<message>
<source>as the system</source>
<translation>wie das System</translation>
</message>
<message>
<source>at epoch {x}</source>
<translation>bei Epoche {x}</translation>
</message>
<message>
<source>at random tokens</source>
<translation>an zufälligen Token</translation>
</message>
<message>
<source>at step {step} · at the start: {right}</source>
<translation>bei Schritt {step} · am Anfang: {right}</translation>
</message>
<message>
<source>at step {x}</source>
<translation>bei Schritt {x}</translation>
</message>
<message>
<source>at {mask}</source>
<translation>bei {mask}</translation>
</message>
<message>
<source>at {step}</source>
<translation>bei {step}</translation>
</message>
<message>
<source>attention</source>
<translation>Attention</translation>
</message>
<message>
<source>attention adds</source>
<translation>Attention addiert</translation>
</message>
<message>
<source>attention heads</source>
<translation>Attention-Köpfe</translation>
</message>
<message>
<source>attention of one token</source>
<translation>Attention eines Tokens</translation>
</message>
<message>
<source>attention to the word that differs</source>
<translation>Attention auf das Wort, das sich unterscheidet</translation>
</message>
<message>
<source>attention × value</source>
<translation>Attention × Value</translation>
</message>
<message>
<source>attention, baseline</source>
<translation>Attention, Baseline</translation>
</message>
<message>
<source>attention, neurons</source>
<translation>Attention, Neuronen</translation>
</message>
<message>
<source>automatic</source>
<translation>automatisch</translation>
</message>
<message>
<source>baseline</source>
<translation>Baseline</translation>
</message>
<message>
<source>baseline kept in half precision, to save memory</source>
<translation>Baseline in halber Genauigkeit, um Speicher zu sparen</translation>
</message>
<message>
<source>baseline {bits}</source>
<translation>Baseline {bits}</translation>
</message>
<message>
<source>baseline {length}</source>
<translation>Baseline {length}</translation>
</message>
<message>
<source>baseline {perplexity}</source>
<translation>Baseline {perplexity}</translation>
</message>
<message>
<source>baseline {perplexity} (not directly comparable)</source>
<translation>Baseline {perplexity} (nicht direkt vergleichbar)</translation>
</message>
<message>
<source>baseline →</source>
<translation>Baseline →</translation>
</message>
<message>
<source>baseline: “{token}” {there}</source>
<translation>Baseline: „{token}“ {there}</translation>
</message>
<message>
<source>batch size</source>
<translation>Batchgröße</translation>
</message>
<message>
<source>became [MASK]</source>
<translation>wurde [MASK]</translation>
</message>
<message>
<source>became another token</source>
<translation>wurde ein anderes Token</translation>
</message>
<message>
<source>before</source>
<translation>vorher</translation>
</message>
<message>
<source>before fine-tuning</source>
<translation>vor dem Feintuning</translation>
</message>
<message>
<source>before the first layer</source>
<translation>vor der ersten Schicht</translation>
</message>
<message>
<source>before this run</source>
<translation>vor diesem Lauf</translation>
</message>
<message>
<source>below 20%</source>
<translation>unter 20 %</translation>
</message>
<message>
<source>below each word: the right tag</source>
<translation>unter jedem Wort: das richtige Tag</translation>
</message>
<message>
<source>best random order</source>
<translation>beste zufällige Reihenfolge</translation>
</message>
<message>
<source>bias</source>
<translation>Bias</translation>
</message>
<message>
<source>bits, each word masked in turn</source>
<translation>Bit, jedes Wort der Reihe nach maskiert</translation>
</message>
<message>
<source>built-in examples</source>
<translation>mitgelieferte Beispiele</translation>
</message>
<message>
<source>by epoch</source>
<translation>Epochen</translation>
</message>
<message>
<source>by step</source>
<translation>Schritte</translation>
</message>
<message>
<source>by time</source>
<translation>Zeit</translation>
</message>
<message>
<source>by tokens</source>
<translation>Token</translation>
</message>
<message>
<source>by tokens, special tokens included</source>
<translation>nach Token, mit Spezialtoken</translation>
</message>
<message>
<source>change of ln p per unit of a weight, in nats</source>
<translation>Änderung von ln p je Einheit eines Gewichts, in Nat</translation>
</message>
<message>
<source>change of the log odds per unit of a weight, in nats</source>
<translation>Änderung der Log-Odds je Einheit eines Gewichts, in Nat</translation>
</message>
<message>
<source>change of the score per unit of a weight</source>
<translation>Änderung des Werts je Einheit eines Gewichts</translation>
</message>
<message>
<source>change of the surprise</source>
<translation>Änderung der Überraschung</translation>
</message>
<message>
<source>changing {sentences}</source>
<translation>Änderung von {sentences}</translation>
</message>
<message>
<source>choose</source>
<translation>wählen</translation>
</message>
<message>
<source>choose…</source>
<translation>wählen…</translation>
</message>
<message>
<source>chosen, but kept</source>
<translation>gewählt, aber geblieben</translation>
</message>
<message>
<source>chosen: step {step}</source>
<translation>gewählt: Schritt {step}</translation>
</message>
<message>
<source>classify</source>
<translation>klassifizieren</translation>
</message>
<message>
<source>clause – its noun</source>
<translation>Nebensatz – sein Nomen</translation>
</message>
<message>
<source>close by</source>
<translation>in der Nähe</translation>
</message>
<message>
<source>columns {first}–{last} of {count}</source>
<translation>Spalten {first}–{last} von {count}</translation>
</message>
<message>
<source>columns: dimensions</source>
<translation>Spalten: Dimensionen</translation>
</message>
<message>
<source>columns: the {width} numbers of each vector</source>
<translation>Spalten: die {width} Zahlen jedes Vektors</translation>
</message>
<message>
<source>columns: {width} numbers, {after} after the projection</source>
<translation>Spalten: {width} Zahlen, {after} nach der Projektion</translation>
</message>
<message>
<source>comes after “{read}”; the model has read no further.</source>
<translation>kommt nach „{read}“; weiter hat das Modell nicht gelesen.</translation>
</message>
<message>
<source>compare baseline difference side by side</source>
<translation>vergleichen Vergleich Baseline Unterschied nebeneinander</translation>
</message>
<message>
<source>compared with {baseline}</source>
<translation>verglichen mit {baseline}</translation>
</message>
<message>
<source>compared with {model}</source>
<translation>verglichen mit {model}</translation>
</message>
<message>
<source>constant</source>
<translation>bleibt gleich</translation>
</message>
<message>
<source>constant part (biases)</source>
<translation>fester Anteil (Biases)</translation>
</message>
<message>
<source>continue</source>
<translation>fortsetzen</translation>
</message>
<message>
<source>cores</source>
<translation>Kerne</translation>
</message>
<message>
<source>correct in five guesses</source>
<translation>richtig in fünf Tipps</translation>
</message>
<message>
<source>correct “no answer”</source>
<translation>richtiges „keine Antwort“</translation>
</message>
<message>
<source>cosine</source>
<translation>Kosinus</translation>
</message>
<message>
<source>cosine of “{word}” in each pair of sentences, {stage}</source>
<translation>Kosinus von „{word}“ in jedem Paar von Sätzen, {stage}</translation>
</message>
<message>
<source>cosine {cosine}</source>
<translation>Kosinus {cosine}</translation>
</message>
<message>
<source>cut at {limit}</source>
<translation>gekürzt ab {limit}</translation>
</message>
<message>
<source>denominator</source>
<translation>Nenner</translation>
</message>
<message>
<source>denominator, the sum over all tokens</source>
<translation>Nenner, die Summe über alle Token</translation>
</message>
<message>
<source>development set</source>
<translation>Entwicklungsdaten</translation>
</message>
<message>
<source>difference</source>
<translation>Differenz</translation>
</message>
<message>
<source>difference: the sum now minus that {there}</source>
<translation>Differenz: die Summe jetzt minus die {there}</translation>
</message>
<message>
<source>different meanings</source>
<translation>andere Bedeutung</translation>
</message>
<message>
<source>dim {dimension}</source>
<translation>Dim. {dimension}</translation>
</message>
<message>
<source>dimension {dimension}</source>
<translation>Dimension {dimension}</translation>
</message>
<message>
<source>distance (1 − cosine)</source>
<translation>Abstand (1 − Kosinus)</translation>
</message>
<message>
<source>distil</source>
<translation>destillieren</translation>
</message>
<message>
<source>diverged</source>
<translation>divergiert</translation>
</message>
<message>
<source>divided by √{size} = {root}</source>
<translation>geteilt durch √{size} = {root}</translation>
</message>
<message>
<source>document {a}</source>
<translation>Dokument {a}</translation>
</message>
<message>
<source>done</source>
<translation>erledigt</translation>
</message>
<message>
<source>dot: a run</source>
<translation>Punkt: ein Lauf</translation>
</message>
<message>
<source>draw {number}</source>
<translation>Ziehung {number}</translation>
</message>
<message>
<source>drawn from {count}</source>
<translation>gezogen aus {count}</translation>
</message>
<message>
<source>each {share} of the full length</source>
<translation>jeder mit {share} der vollen Dauer</translation>
</message>
<message>
<source>effect</source>
<translation>Wirkung</translation>
</message>
<message>
<source>effect of more attention</source>
<translation>Wirkung von mehr Attention</translation>
</message>
<message>
<source>emb.</source>
<translation>Emb.</translation>
</message>
<message>
<source>embedding LayerNorm</source>
<translation>LayerNorm der Embeddings</translation>
</message>
<message>
<source>embedding to hidden</source>
<translation>Embedding zu Hidden</translation>
</message>
<message>
<source>embeddings</source>
<translation>Embeddings</translation>
</message>
<message>
<source>ending the swap</source>
<translation>Ende des Austauschs</translation>
</message>
<message>
<source>ending {number}</source>
<translation>Ende {number}</translation>
</message>
<message>
<source>entering the layer</source>
<translation>kommt in die Schicht</translation>
</message>
<message>
<source>entries in the vocabulary</source>
<translation>Einträge im Vokabular</translation>
</message>
<message>
<source>entropy</source>
<translation>Entropie</translation>
</message>
<message>
<source>epoch</source>
<translation>Epoche</translation>
</message>
<message>
<source>epochs</source>
<translation>Epochen</translation>
</message>
<message>
<source>estimated memory</source>
<translation>geschätzter Speicher</translation>
</message>
<message>
<source>estimated time</source>
<translation>geschätzte Dauer</translation>
</message>
<message>
<source>every token looks left only</source>
<translation>jedes Token schaut nur nach links</translation>
</message>
<message>
<source>every token looks right only</source>
<translation>jedes Token schaut nur nach rechts</translation>
</message>
<message>
<source>exact match</source>
<translation>exakte Treffer</translation>
</message>
<message>
<source>exact match, answered</source>
<translation>exakte Treffer, beantwortet</translation>
</message>
<message>
<source>exact match, best threshold</source>
<translation>exakte Treffer, beste Schwelle</translation>
</message>
<message>
<source>examples to learn from</source>
<translation>Beispiele zum Lernen</translation>
</message>
<message>
<source>exp(entropy), entropy = −Σ p ln p</source>
<translation>exp(Entropie), Entropie = −Σ p ln p</translation>
</message>
<message>
<source>exp(s) / Σ exp(s), by row</source>
<translation>exp(s) / Σ exp(s), je Zeile</translation>
</message>
<message>
<source>expected</source>
<translation>erwartet</translation>
</message>
<message>
<source>export figure image png pdf svg</source>
<translation>exportieren abbildung bild png pdf svg</translation>
</message>
<message>
<source>export table csv data</source>
<translation>exportieren tabelle csv daten</translation>
</message>
<message>
<source>failed</source>
<translation>fehlgeschlagen</translation>
</message>
<message>
<source>falls to zero</source>
<translation>fällt auf null</translation>
</message>
<message>
<source>feed-forward</source>
<translation>Feed-Forward</translation>
</message>
<message>
<source>feed-forward 1</source>
<translation>Feed-Forward 1</translation>
</message>
<message>
<source>feed-forward 2</source>
<translation>Feed-Forward 2</translation>
</message>
<message>
<source>feed-forward adds</source>
<translation>Feed-Forward addiert</translation>
</message>
<message>
<source>feed-forward {layer}</source>
<translation>Feed-Forward {layer}</translation>
</message>
<message>
<source>feed-forward, baseline</source>
<translation>Feed-Forward, Baseline</translation>
</message>
<message>
<source>film strip gif webp html video export</source>
<translation>Filmstreifen gif webp html Video exportieren</translation>
</message>
<message>
<source>final LayerNorm</source>
<translation>letzte LayerNorm</translation>
</message>
<message>
<source>final {figure}</source>
<translation>{figure} am Ende</translation>
</message>
<message>
<source>fine-tune</source>
<translation>feintunen</translation>
</message>
<message>
<source>first noun – second noun</source>
<translation>erstes Nomen – zweites</translation>
</message>
<message>
<source>first try, small</source>
<translation>erster Versuch, klein</translation>
</message>
<message>
<source>for</source>
<translation>dafür</translation>
</message>
<message>
<source>for “{token}”, by activation</source>
<translation>für „{token}“, nach Aktivierung</translation>
</message>
<message>
<source>forward pass {forward_ms} ms · drawn in {draw_ms} ms</source>
<translation>Durchlauf {forward_ms} ms · gezeichnet in {draw_ms} ms</translation>
</message>
<message>
<source>found</source>
<translation>gefunden</translation>
</message>
<message>
<source>from</source>
<translation>aus</translation>
</message>
<message>
<source>from A to B</source>
<translation>von A nach B</translation>
</message>
<message>
<source>from document {document}; not to be predicted in this step</source>
<translation>aus Dokument {document}; in diesem Schritt nicht vorherzusagen</translation>
</message>
<message>
<source>from layer {layer}</source>
<translation>aus Schicht {layer}</translation>
</message>
<message>
<source>from the embeddings</source>
<translation>aus den Embeddings</translation>
</message>
<message>
<source>from {model}</source>
<translation>aus {model}</translation>
</message>
<message>
<source>from {step}: longer sequences</source>
<translation>ab {step}: längere Sequenzen</translation>
</message>
<message>
<source>from {step}: masked words</source>
<translation>ab {step}: maskierte Wörter</translation>
</message>
<message>
<source>from {token}</source>
<translation>von {token}</translation>
</message>
<message>
<source>from {x} on</source>
<translation>ab {x}</translation>
</message>
<message>
<source>further down</source>
<translation>weiter unten</translation>
</message>
<message>
<source>given</source>
<translation>gegeben</translation>
</message>
<message>
<source>going to another training step</source>
<translation>Wechsel des Trainingsschritts</translation>
</message>
<message>
<source>gradient</source>
<translation>Gradient</translation>
</message>
<message>
<source>gradient norm</source>
<translation>Gradientennorm</translation>
</message>
<message>
<source>guessing: 50%</source>
<translation>Raten: 50 %</translation>
</message>
<message>
<source>hand-out worksheet print teacher pdf html</source>
<translation>arbeitsblatt kopiervorlage drucken lehrkraft pdf html</translation>
</message>
<message>
<source>head</source>
<translation>Kopf</translation>
</message>
<message>
<source>head {head}</source>
<translation>Kopf {head}</translation>
</message>
<message>
<source>head {head} alone carries {value} of the difference</source>
<translation>Kopf {head} allein trägt {value} des Unterschieds</translation>
</message>
<message>
<source>head {head} gives that word {value} of its attention</source>
<translation>Kopf {head} gibt diesem Wort {value} seiner Attention</translation>
</message>
<message>
<source>head {head} of the other text</source>
<translation>Kopf {head} des anderen Textes</translation>
</message>
<message>
<source>head {head} off</source>
<translation>Kopf {head} aus</translation>
</message>
<message>
<source>head {head}, dim {dimension}</source>
<translation>Kopf {head}, Dim. {dimension}</translation>
</message>
<message>
<source>head {head}: row of {token} edited</source>
<translation>Kopf {head}: Zeile von {token} geändert</translation>
</message>
<message>
<source>head {row}·{column}: the loss is {value} higher without it</source>
<translation>Kopf {row}·{column}: ohne ihn ist der Loss um {value} höher</translation>
</message>
<message>
<source>heads</source>
<translation>Köpfen</translation>
</message>
<message>
<source>heads chosen on {chosen} sentences, measured on the other {measured}</source>
<translation>Köpfe auf {chosen} Sätzen gewählt, auf den anderen {measured} gemessen</translation>
</message>
<message>
<source>heads in each layer</source>
<translation>Köpfe in jeder Schicht</translation>
</message>
<message>
<source>heads near each other look at the same tokens</source>
<translation>Köpfe nah beieinander schauen auf dieselben Token</translation>
</message>
<message>
<source>heads →</source>
<translation>Köpfe →</translation>
</message>
<message>
<source>held out</source>
<translation>zurückgehalten</translation>
</message>
<message>
<source>held-out examples</source>
<translation>ungesehene Beispiele</translation>
</message>
<message>
<source>held-out loss</source>
<translation>Loss auf ungesehenem Text</translation>
</message>
<message>
<source>held-out text</source>
<translation>ungesehener Text</translation>
</message>
<message>
<source>held-out words right</source>
<translation>Wörter richtig, ungesehener Text</translation>
</message>
<message>
<source>held-out {metric}</source>
<translation>{metric}, ungesehen</translation>
</message>
<message>
<source>help manual</source>
<translation>hilfe handbuch anleitung</translation>
</message>
<message>
<source>helping verb – main verb</source>
<translation>Hilfsverb – Hauptverb</translation>
</message>
<message>
<source>here</source>
<translation>hier</translation>
</message>
<message>
<source>hidden</source>
<translation>verdeckt</translation>
</message>
<message>
<source>hides “{word}” · rank {rank} · probability {probability} · {surprise}</source>
<translation>verdeckt „{word}“ · Rang {rank} · {probability} · {surprise}</translation>
</message>
<message>
<source>high</source>
<translation>hoch</translation>
</message>
<message>
<source>higher: more alike · where the curves part, the model tells the meanings apart</source>
<translation>höher: ähnlicher · wo die Kurven auseinandergehen, unterscheidet das Modell</translation>
</message>
<message>
<source>highest score in the row</source>
<translation>höchster Score der Zeile</translation>
</message>
<message>
<source>hours of training</source>
<translation>Stunden Training</translation>
</message>
<message>
<source>in layer {layer}</source>
<translation>in Schicht {layer}</translation>
</message>
<message>
<source>in layers {first} and {last}</source>
<translation>in den Schichten {first} und {last}</translation>
</message>
<message>
<source>in layers {first} to {last}</source>
<translation>in den Schichten {first} bis {last}</translation>
</message>
<message>
<source>in mixed order</source>
<translation>in gemischter Reihenfolge</translation>
</message>
<message>
<source>in order</source>
<translation>in Reihenfolge</translation>
</message>
<message>
<source>in the order I click</source>
<translation>in meiner Klickreihenfolge</translation>
</message>
<message>
<source>in the summary</source>
<translation>in der Zusammenfassung</translation>
</message>
<message>
<source>in the text</source>
<translation>im Text</translation>
</message>
<message>
<source>in the top five</source>
<translation>unter den ersten fünf</translation>
</message>
<message>
<source>input × weight</source>
<translation>Eingabe × Gewicht</translation>
</message>
<message>
<source>insert write author own lesson clipboard markdown</source>
<translation>einfügen schreiben eigene Lektion Zwischenablage Markdown Autor</translation>
</message>
<message>
<source>inserting a word</source>
<translation>Wort einsetzen</translation>
</message>
<message>
<source>inside a word</source>
<translation>im Wortinneren</translation>
</message>
<message>
<source>introduction start first steps help</source>
<translation>einführung start erste schritte hilfe</translation>
</message>
<message>
<source>is here unchanged, but has to be predicted all the same.</source>
<translation>steht hier unverändert und ist trotzdem vorherzusagen.</translation>
</message>
<message>
<source>is left out of this view</source>
<translation>ist in dieser Ansicht ausgelassen</translation>
</message>
<message>
<source>is right for the sentence after this [CLS]. The model: {given}.</source>
<translation>ist richtig für den Satz nach diesem [CLS]. Das Modell: {given}.</translation>
</message>
<message>
<source>is the right answer for the whole text, predicted from [CLS]. The model: {given}.</source>
<translation>ist die richtige Antwort für den ganzen Text, vorhergesagt aus [CLS]. Das Modell: {given}.</translation>
</message>
<message>
<source>is the right tag here. The model: {given}.</source>
<translation>ist hier die richtige Auszeichnung. Das Modell: {given}.</translation>
</message>
<message>
<source>is, was – what is said</source>
<translation>ist, war – was ausgesagt wird</translation>
</message>
<message numerus="yes">
<source>it works, with %n warning(s)</source>
<translation>
<numerusform>sie läuft, mit %n Warnung</numerusform>
<numerusform>sie läuft, mit %n Warnungen</numerusform>
</translation>
</message>
<message>
<source>its model</source>
<translation>ihr Modell</translation>
</message>
<message>
<source>its output weights · the word’s embedding</source>
<translation>seine Ausgabegewichte · das Embedding des Wortes</translation>
</message>
<message>
<source>its settings cannot be read</source>
<translation>die Einstellungen sind nicht lesbar</translation>
</message>
<message>
<source>its tag</source>
<translation>sein Tag</translation>
</message>
<message>
<source>judged replaced</source>
<translation>gilt als ersetzt</translation>
</message>
<message>
<source>k-means</source>
<translation>k-Means</translation>
</message>
<message>
<source>k-means; principal components</source>
<translation>k-Means; Hauptkomponenten</translation>
</message>
<message>
<source>kept</source>
<translation>bleibt</translation>
</message>
<message>
<source>key</source>
<translation>Key</translation>
</message>
<message>
<source>key of {token}</source>
<translation>Key von {token}</translation>
</message>
<message>
<source>kind</source>
<translation>Art</translation>
</message>
<message>
<source>label: {name}</source>
<translation>Label: {name}</translation>
</message>
<message>
<source>layer</source>
<translation>Schicht</translation>
</message>
<message>
<source>layer on [CLS] (pooler)</source>
<translation>Schicht auf [CLS] (Pooler)</translation>
</message>
<message>
<source>layer {layer}</source>
<translation>Schicht {layer}</translation>
</message>
<message>
<source>layer {layer} skipped</source>
<translation>Schicht {layer} übersprungen</translation>
</message>
<message>
<source>layer {layer} · {neuron}</source>
<translation>Schicht {layer} · {neuron}</translation>
</message>
<message>
<source>layer {layer}, head {head}</source>
<translation>Schicht {layer}, Kopf {head}</translation>
</message>
<message>
<source>layer {layer}, {part}</source>
<translation>Schicht {layer}, {part}</translation>
</message>
<message>
<source>layer: {x}</source>
<translation>Schicht: {x}</translation>
</message>
<message>
<source>layers</source>
<translation>Schichten</translation>
</message>
<message>
<source>layers 1–{layers} ↓ heads 1–{heads} →</source>
<translation>Schichten 1–{layers} ↓ Köpfe 1–{heads} →</translation>
</message>
<message>
<source>layers ↓</source>
<translation>Schichten ↓</translation>
</message>
<message>
<source>learned</source>
<translation>gelernt</translation>
</message>
<message>
<source>learned from sine waves</source>
<translation>von Sinuswellen aus gelernt</translation>
</message>
<message>
<source>learning rate</source>
<translation>Lernrate</translation>
</message>
<message>
<source>least important dropped first</source>
<translation>das Unwichtigste fällt zuerst weg</translation>
</message>
<message>
<source>least probability</source>
<translation>Mindestwahrscheinlichkeit</translation>
</message>
<message>
<source>left</source>
<translation>übrig</translation>
</message>
<message>
<source>left as it was</source>
<translation>unverändert</translation>
</message>
<message>
<source>left looks at right · red: more attention than {there}, blue: less</source>
<translation>links schaut auf rechts · rot: mehr Attention als {there}, blau: weniger</translation>
</message>
<message>
<source>left looks at right · thicker: more attention</source>
<translation>links schaut auf rechts · dicker: mehr Attention</translation>
</message>
<message>
<source>left out</source>
<translation>ausgelassen</translation>
</message>
<message>
<source>left out: {what}</source>
<translation>ausgelassen: {what}</translation>
</message>
<message>
<source>left to right</source>
<translation>von links nach rechts</translation>
</message>
<message>
<source>length</source>
<translation>Länge</translation>
</message>
<message>
<source>length of weight × value, for every token</source>
<translation>Länge von Gewicht × Value, für jedes Token</translation>
</message>
<message>
<source>less</source>
<translation>weniger</translation>
</message>
<message>
<source>line {number}</source>
<translation>Zeile {number}</translation>
</message>
<message>
<source>linear CKA, without bias (Kornblith et al. 2019)</source>
<translation>lineare CKA, unverzerrt (Kornblith et al. 2019)</translation>
</message>
<message>
<source>ln p of the first answer − ln p of the second, in nats:</source>
<translation>ln p der ersten Antwort − ln p der zweiten, in Nats:</translation>
</message>
<message>
<source>ln p of the whole text (nearer to 0: likelier)</source>
<translation>ln p des ganzen Textes (näher an 0: wahrscheinlicher)</translation>
</message>
<message>
<source>ln p {change} nats</source>
<translation>ln p {change} Nat</translation>
</message>
<message>
<source>ln p − ln p(without the head)</source>
<translation>ln p − ln p(ohne den Kopf)</translation>
</message>
<message>
<source>ln p({first}) − ln p({second}): {ours} nats in this text, {other} in the other.</source>
<translation>ln p({first}) − ln p({second}): {ours} Nat in diesem Text, {other} im anderen.</translation>
</message>
<message>
<source>ln p: {ours} nats in this text, {other} in the other.</source>
<translation>ln p: {ours} Nat in diesem Text, {other} im anderen.</translation>
</message>
<message>
<source>log odds {change} with this head</source>
<translation>Log-Odds {change} mit diesem Kopf</translation>
</message>
<message>
<source>looks at</source>
<translation>schaut auf</translation>
</message>
<message>
<source>looks there more than {there}</source>
<translation>schaut dort mehr hin als {there}</translation>
</message>
<message>
<source>loss 0</source>
<translation>Loss 0</translation>
</message>
<message>
<source>loss of a masked word</source>
<translation>Loss eines maskierten Worts</translation>
</message>
<message>
<source>loss {loss}</source>
<translation>Loss {loss}</translation>
</message>
<message>
<source>loss ≈ {loss}</source>
<translation>Loss ≈ {loss}</translation>
</message>
<message>
<source>loss: lower is better</source>
<translation>Loss: weniger ist besser</translation>
</message>
<message>
<source>map of heads</source>
<translation>Karte der Köpfe</translation>
</message>
<message>
<source>marked: {texts}</source>
<translation>markiert: {texts}</translation>
</message>
<message>
<source>mask: −∞ for what must not be looked at, so that softmax gives it 0</source>
<translation>Maske: −∞ für das, was nicht angesehen werden darf, damit Softmax ihm 0 gibt</translation>
</message>
<message>
<source>masked-word loss</source>
<translation>Loss maskierter Wörter</translation>
</message>
<message>
<source>masked: {positions}</source>
<translation>maskiert: {positions}</translation>
</message>
<message>
<source>masked; it was {token}</source>
<translation>maskiert; es war {token}</translation>
</message>
<message>
<source>masking</source>
<translation>Maskieren</translation>
</message>
<message>
<source>match</source>
<translation>Übereinstimmung</translation>
</message>
<message>
<source>match with the labels</source>
<translation>passt zu den Labels</translation>
</message>
<message>
<source>maximum flow, capacity = ½ (I + mean of heads)</source>
<translation>maximaler Fluss, Kapazität = ½ (I + Mittel der Köpfe)</translation>
</message>
<message>
<source>mean</source>
<translation>Mittel</translation>
</message>
<message>
<source>mean cosine</source>
<translation>mittlerer Kosinus</translation>
</message>
<message>
<source>mean distance</source>
<translation>mittlerer Abstand</translation>
</message>
<message numerus="yes">
<source>mean of %n piece(s)</source>
<translation>
<numerusform>Mittel von %n Stück</numerusform>
<numerusform>Mittel von %n Stücken</numerusform>
</translation>
</message>
<message>
<source>mean of its scores</source>
<translation>Mittel seiner Werte</translation>
</message>
<message>
<source>mean of the row</source>
<translation>Mittelwert der Zeile</translation>
</message>
<message>
<source>mean over tokens of Σ weight (→ special)</source>
<translation>Mittel über die Token von Σ Gewicht (→ Spezialtoken)</translation>
</message>
<message>
<source>mean {figure}</source>
<translation>Mittel {figure}</translation>
</message>
<message>
<source>mean {mean}</source>
<translation>Mittel {mean}</translation>
</message>
<message>
<source>mean ± standard deviation</source>
<translation>Mittelwert ± Standardabweichung</translation>
</message>
<message>
<source>meaning {number}</source>
<translation>Bedeutung {number}</translation>
</message>
<message>
<source>means that this window has no answer. The model: “{given}”.</source>
<translation>heißt, dass es in diesem Fenster keine Antwort gibt. Das Modell: „{given}“.</translation>
</message>
<message numerus="yes">
<source>measured on %Ln answer(s)</source>
<translation>
<numerusform>an %Ln Antwort gemessen</numerusform>
<numerusform>an %Ln Antworten gemessen</numerusform>
</translation>
</message>
<message numerus="yes">
<source>measured on %Ln word(s)</source>
<translation>
<numerusform>an %Ln Wort gemessen</numerusform>
<numerusform>an %Ln Wörtern gemessen</numerusform>
</translation>
</message>
<message>
<source>minutes</source>
<translation>Minuten</translation>
</message>
<message>
<source>minutes of training</source>
<translation>Minuten Training</translation>
</message>
<message>
<source>missing</source>
<translation>fehlt</translation>
</message>
<message>
<source>model</source>
<translation>Modell</translation>
</message>
<message>
<source>most certain first</source>
<translation>das Sicherste zuerst</translation>
</message>
<message>
<source>most like {head}</source>
<translation>ähnlich wie {head}</translation>
</message>
<message>
<source>most likely words and their probabilities</source>
<translation>wahrscheinlichste Wörter und ihre Wahrscheinlichkeiten</translation>
</message>
<message>
<source>mostly [CLS]/[SEP]</source>
<translation>meist [CLS]/[SEP]</translation>
</message>
<message>
<source>moved</source>
<translation>bewegt</translation>
</message>
<message>
<source>ms per batch</source>
<translation>ms je Batch</translation>
</message>
<message>
<source>nearest words by cosine</source>
<translation>nächste Wörter nach Kosinus</translation>
</message>
<message>
<source>nearest words by distance</source>
<translation>nächste Wörter nach Abstand</translation>
</message>
<message>
<source>nearly everywhere</source>
<translation>fast überallhin</translation>
</message>
<message>
<source>neuron {neuron}</source>
<translation>Neuron {neuron}</translation>
</message>
<message>
<source>newest snapshot live training</source>
<translation>neuester snapshot live training</translation>
</message>
<message>
<source>next sentence (BERT)</source>
<translation>nächster Satz (BERT)</translation>
</message>
<message>
<source>next sentence correct (guessing: 50%)</source>
<translation>nächster Satz richtig (geraten: 50 %)</translation>
</message>
<message>
<source>next token</source>
<translation>nächstes Token</translation>
</message>
<message>
<source>next-word loss</source>
<translation>Loss nächstes Wort</translation>
</message>
<message>
<source>no answer</source>
<translation>keine Antwort</translation>
</message>
<message>
<source>no answer in this window</source>
<translation>keine Antwort in diesem Fenster</translation>
</message>
<message>
<source>no clear habit</source>
<translation>ohne klare Gewohnheit</translation>
</message>
<message>
<source>no licence stated</source>
<translation>keine Lizenz angegeben</translation>
</message>
<message>
<source>no names</source>
<translation>keine Namen</translation>
</message>
<message>
<source>no other world</source>
<translation>keine andere Welt</translation>
</message>
<message>
<source>no position embedding</source>
<translation>kein Positions-Embedding</translation>
</message>
<message>
<source>no segment embedding</source>
<translation>kein Segment-Embedding</translation>
</message>
<message>
<source>no snapshots</source>
<translation>keine Snapshots</translation>
</message>
<message>
<source>no such token</source>
<translation>kein solches Token</translation>
</message>
<message>
<source>no swap</source>
<translation>Text ohne Austausch</translation>
</message>
<message>
<source>no token embedding</source>
<translation>kein Token-Embedding</translation>
</message>
<message>
<source>no word follows that could be hidden</source>
<translation>es folgt kein Wort, das sich verdecken ließe</translation>
</message>
<message>
<source>no word is hidden</source>
<translation>kein Wort ist verdeckt</translation>
</message>
<message>
<source>none</source>
<translation>keine</translation>
</message>
<message>
<source>none</source>
<comment>not one</comment>
<translation>keiner</translation>
</message>
<message>
<source>none (RoBERTa)</source>
<translation>keine (RoBERTa)</translation>
</message>
<message>
<source>not checked</source>
<translation>nicht geprüft</translation>
</message>
<message>
<source>not chosen</source>
<translation>nicht gewählt</translation>
</message>
<message>
<source>not done</source>
<translation>nicht erledigt</translation>
</message>
<message>
<source>not in the summary</source>
<translation>nicht in der Zusammenfassung</translation>
</message>
<message>
<source>not in {baseline}’s vocabulary</source>
<translation>nicht im Vokabular von {baseline}</translation>
</message>
<message>
<source>not installed as a package</source>
<translation>nicht als Paket installiert</translation>
</message>
<message>
<source>nothing</source>
<translation>nichts</translation>
</message>
<message>
<source>nothing differs by {least} or more</source>
<translation>kein Unterschied von {least} oder mehr</translation>
</message>
<message>
<source>noun – noun it describes</source>
<translation>Attribut – sein Nomen</translation>
</message>
<message>
<source>now</source>
<translation>jetzt</translation>
</message>
<message>
<source>now learning its task</source>
<translation>lernt gerade seine Aufgabe</translation>
</message>
<message>
<source>now minus {baseline}</source>
<translation>jetzt minus {baseline}</translation>
</message>
<message>
<source>now predicting masked words</source>
<translation>sagt gerade maskierte Wörter vorher</translation>
</message>
<message>
<source>now predicting the next word</source>
<translation>sagt gerade das nächste Wort vorher</translation>
</message>
<message>
<source>now ↓</source>
<translation>jetzt ↓</translation>
</message>
<message>
<source>number {id} in the vocabulary</source>
<translation>Nummer {id} im Vokabular</translation>
</message>
<message>
<source>number – its noun</source>
<translation>Zahl – ihr Nomen</translation>
</message>
<message>
<source>numbers per token</source>
<translation>Zahlen je Token</translation>
</message>
<message>
<source>numbers verified</source>
<translation>Zahlen geprüft</translation>
</message>
<message>
<source>numerator, exp(score − highest)</source>
<translation>Zähler, exp(Score − höchster)</translation>
</message>
<message>
<source>object – its verb</source>
<translation>Objekt – sein Verb</translation>
</message>
<message>
<source>odds {change} with this head</source>
<translation>Chancen {change} mit diesem Kopf</translation>
</message>
<message>
<source>of 50</source>
<translation>von 50</translation>
</message>
<message>
<source>of {last}</source>
<translation>von {last}</translation>
</message>
<message>
<source>of “{text}”</source>
<translation>von „{text}“</translation>
</message>
<message>
<source>off</source>
<translation>aus</translation>
</message>
<message>
<source>off by {error} points on average</source>
<translation>im Mittel um {error} Punkte daneben</translation>
</message>
<message>
<source>on {tokens}</source>
<translation>auf {tokens}</translation>
</message>
<message>
<source>one per line</source>
<translation>einer pro Zeile</translation>
</message>
<message>
<source>one sentence</source>
<translation>ein Satz</translation>
</message>
<message>
<source>only highlighted</source>
<translation>nur hervorgehobene</translation>
</message>
<message>
<source>only read; the model predicts nothing here</source>
<translation>nur gelesen; hier sagt das Modell nichts vorher</translation>
</message>
<message>
<source>open: step {step}</source>
<translation>geöffnet: Schritt {step}</translation>
</message>
<message>
<source>optional</source>
<translation>nicht nötig</translation>
</message>
<message>
<source>or less</source>
<translation>oder weniger</translation>
</message>
<message>
<source>or more</source>
<translation>oder mehr</translation>
</message>
<message>
<source>organisation</source>
<translation>Organisation</translation>
</message>
<message>
<source>other</source>
<translation>sonstiges</translation>
</message>
<message>
<source>other answers</source>
<translation>andere Antworten</translation>
</message>
<message>
<source>other text</source>
<translation>anderer Text</translation>
</message>
<message>
<source>outlined: judged to be replaced (probability {least} or more)</source>
<translation>umrandet: gilt als ersetzt (Wahrscheinlichkeit mindestens {least})</translation>
</message>
<message>
<source>output</source>
<translation>Ausgabe</translation>
</message>
<message>
<source>over 99.9%</source>
<translation>über 99,9 %</translation>
</message>
<message>
<source>p = 1 / (1 + exp(−logit))</source>
<translation>p = 1 / (1 + exp(−Logit))</translation>
</message>
<message>
<source>p = exp(logit) / Σ exp(logits)</source>
<translation>p = exp(Logit) / Σ exp(Logits)</translation>
</message>
<message>
<source>padding mask: changes nothing where nothing is padded</source>
<translation>Padding-Maske: ändert nichts, wo nichts aufgefüllt ist</translation>
</message>
<message>
<source>pairs</source>
<translation>Paare</translation>
</message>
<message>
<source>pairs of tokens drawn at random</source>
<translation>zufällig gezogene Token-Paare</translation>
</message>
<message>
<source>pale bar: ± standard deviation</source>
<translation>blasser Balken: ± Standardabweichung</translation>
</message>
<message>
<source>parameters</source>
<translation>Parameter</translation>
</message>
<message>
<source>part of ‘and’ – other part</source>
<translation>Teil von ‚und‘ – anderer Teil</translation>
</message>
<message>
<source>parts</source>
<translation>Teile</translation>
</message>
<message>
<source>parts taken out</source>
<translation>weggenommene Teile</translation>
</message>
<message>
<source>path of {token}</source>
<translation>Weg von {token}</translation>
</message>
<message>
<source>path of {token} in the baseline</source>
<translation>Weg von {token} in der Baseline</translation>
</message>
<message>
<source>percent nats ln p bits probability</source>
<translation>prozent nat ln p bit wahrscheinlichkeit</translation>
</message>
<message>
<source>person</source>
<translation>Person</translation>
</message>
<message>
<source>place</source>
<translation>Ort</translation>
</message>
<message>
<source>place, time … – its verb</source>
<translation>Ort, Zeit … – das Verb</translation>
</message>
<message>
<source>pooler</source>
<translation>Pooler</translation>
</message>
<message>
<source>position</source>
<translation>Position</translation>
</message>
<message>
<source>position embeddings</source>
<translation>Positions-Embeddings</translation>
</message>
<message>
<source>position table</source>
<translation>Positionstabelle</translation>
</message>
<message>
<source>position {position}</source>
<translation>Position {position}</translation>
</message>
<message>
<source>positions {first}–{last}</source>
<translation>Positionen {first}–{last}</translation>
</message>
<message>
<source>positions {row} and {column}: cosine {value}</source>
<translation>Positionen {row} und {column}: Kosinus {value}</translation>
</message>
<message>
<source>pre-norm {family}</source>
<translation>Pre-Norm-{family}</translation>
</message>
<message>
<source>precision</source>
<translation>Präzision</translation>
</message>
<message>
<source>predicted by</source>
<translation>vorhergesagt von</translation>
</message>
<message>
<source>predicted →</source>
<translation>vorhergesagt →</translation>
</message>
<message>
<source>preposition – its noun</source>
<translation>Präposition – ihr Nomen</translation>
</message>
<message>
<source>presenter class laser beamer</source>
<translation>presenter klasse laser beamer vorführen</translation>
</message>
<message>
<source>pretrain</source>
<translation>vortrainieren</translation>
</message>
<message>
<source>previous token</source>
<translation>vorheriges Token</translation>
</message>
<message>
<source>probability</source>
<translation>Wahrscheinlichkeit</translation>
</message>
<message>
<source>probability and rank after each layer</source>
<translation>Wahrscheinlichkeit und Rang nach jeder Schicht</translation>
</message>
<message>
<source>probability of the original token</source>
<translation>Wahrscheinlichkeit des ursprünglichen Tokens</translation>
</message>
<message>
<source>probability when it was filled in</source>
<translation>Wahrscheinlichkeit beim Einsetzen</translation>
</message>
<message>
<source>projection</source>
<translation>Projektion</translation>
</message>
<message>
<source>pseudo-perplexity {perplexity}</source>
<translation>Pseudo-Perplexität {perplexity}</translation>
</message>
<message>
<source>punctuation – its word</source>
<translation>Satzzeichen – sein Wort</translation>
</message>
<message>
<source>query</source>
<translation>Query</translation>
</message>
<message>
<source>query of {token}: {size} dimensions</source>
<translation>Query von {token}: {size} Dimensionen</translation>
</message>
<message>
<source>query · key</source>
<translation>Query · Key</translation>
</message>
<message>
<source>query · key, head {head}</source>
<translation>Query · Key, Kopf {head}</translation>
</message>
<message>
<source>query × key</source>
<translation>Query × Key</translation>
</message>
<message>
<source>query × key, dimension by dimension</source>
<translation>Query × Key, Dimension für Dimension</translation>
</message>
<message>
<source>quiz play score masked word</source>
<translation>quiz spiel punkte maskiertes wort</translation>
</message>
<message>
<source>random orders, mean</source>
<translation>zufällige Reihenfolgen, Mittel</translation>
</message>
<message>
<source>random tags</source>
<translation>zufällige Tags</translation>
</message>
<message>
<source>random word</source>
<translation>Zufallswort</translation>
</message>
<message>
<source>rank {rank}</source>
<translation>Rang {rank}</translation>
</message>
<message>
<source>rate</source>
<translation>Rate</translation>
</message>
<message>
<source>rather than</source>
<translation>statt</translation>
</message>
<message>
<source>read as {segment}</source>
<translation>gelesen als {segment}</translation>
</message>
<message>
<source>recall</source>
<translation>Recall</translation>
</message>
<message>
<source>red: looks there more than {there}; blue: less</source>
<translation>rot: schaut dort mehr hin als {there}; blau: weniger</translation>
</message>
<message>
<source>resumed</source>
<translation>fortgesetzt</translation>
</message>
<message>
<source>resumed, changed: {changes}</source>
<translation>fortgesetzt, geändert: {changes}</translation>
</message>
<message>
<source>right</source>
<translation>richtig</translation>
</message>
<message>
<source>right answer: {word}</source>
<translation>richtige Antwort: {word}</translation>
</message>
<message>
<source>right: {right} · the model: {given}{mark}</source>
<translation>richtig: {right} · das Modell: {given}{mark}</translation>
</message>
<message>
<source>right: {right}, given: {given}</source>
<translation>richtig: {right}, gegeben: {given}</translation>
</message>
<message>
<source>ring: the best run</source>
<translation>Ring: der beste Lauf</translation>
</message>
<message>
<source>row: token that looks · column: what it looks at · attention, one scale for all: 0</source>
<translation>Zeile: Token, das schaut · Spalte: wohin es schaut · Attention, eine Skala für alle: 0</translation>
</message>
<message>
<source>rows and columns: positions</source>
<translation>Zeilen und Spalten: Positionen</translation>
</message>
<message>
<source>rows look at columns</source>
<translation>Zeilen schauen auf Spalten</translation>
</message>
<message>
<source>rows: layers · columns: heads · within each: rows look at columns</source>
<translation>Zeilen: Schichten · Spalten: Köpfe · in jedem: Zeilen schauen auf Spalten</translation>
</message>
<message>
<source>rows: layers · columns: masks · the top guess and its probability</source>
<translation>Zeilen: Schichten · Spalten: Masken · der erste Tipp und seine Wahrscheinlichkeit</translation>
</message>
<message>
<source>rows: tokens after these layers · columns: input tokens</source>
<translation>Zeilen: Token nach diesen Schichten · Spalten: Token der Eingabe</translation>
</message>
<message>
<source>rows: tokens · columns: the numbers of each vector</source>
<translation>Zeilen: Token · Spalten: die Zahlen jedes Vektors</translation>
</message>
<message>
<source>rows: true label · columns: predicted label</source>
<translation>Zeilen: wahres Label · Spalten: vorhergesagtes Label</translation>
</message>
<message>
<source>run {name}</source>
<translation>Lauf {name}</translation>
</message>
<message>
<source>same direction (1), opposite (−1)</source>
<translation>dieselbe Richtung (1), entgegengesetzt (−1)</translation>
</message>
<message>
<source>same meaning</source>
<translation>gleiche Bedeutung</translation>
</message>
<message>
<source>same token</source>
<translation>dasselbe Token</translation>
</message>
<message>
<source>same word elsewhere</source>
<translation>dasselbe Wort an anderer Stelle</translation>
</message>
<message>
<source>same word in the other sentence</source>
<translation>dasselbe Wort im anderen Satz</translation>
</message>
<message>
<source>scale</source>
<translation>Skalierung</translation>
</message>
<message>
<source>score</source>
<translation>Score</translation>
</message>
<message>
<source>score (1 is perfect)</source>
<translation>Wert (1 ist vollkommen)</translation>
</message>
<message>
<source>score / √{size}</source>
<translation>Score / √{size}</translation>
</message>
<message>
<source>score {change} with this head</source>
<translation>Wert {change} mit diesem Kopf</translation>
</message>
<message>
<source>score: the sum, for every key</source>
<translation>Score: die Summe, für jeden Key</translation>
</message>
<message>
<source>seconds of training</source>
<translation>Sekunden Training</translation>
</message>
<message>
<source>see its card</source>
<translation>siehe Modellkarte</translation>
</message>
<message>
<source>seed</source>
<translation>Seed</translation>
</message>
<message>
<source>seed {seed}</source>
<translation>Seed {seed}</translation>
</message>
<message>
<source>segment</source>
<translation>Segment</translation>
</message>
<message>
<source>segment A {a} · segment B {b}</source>
<translation>Segment A {a} · Segment B {b}</translation>
</message>
<message>
<source>segment embeddings</source>
<translation>Segment-Embeddings</translation>
</message>
<message>
<source>segment table</source>
<translation>Segment-Tabelle</translation>
</message>
<message>
<source>segment {letter}</source>
<translation>Segment {letter}</translation>
</message>
<message>
<source>segment {row}, dimension {column}: {value}</source>
<translation>Segment {row}, Dimension {column}: {value}</translation>
</message>
<message>
<source>sentence A {a} · sentence B {b}</source>
<translation>Satz A {a} · Satz B {b}</translation>
</message>
<message>
<source>sentence order (ALBERT)</source>
<translation>Satzreihenfolge (ALBERT)</translation>
</message>
<message>
<source>sentence {letter}</source>
<translation>Satz {letter}</translation>
</message>
<message>
<source>sentences</source>
<translation>Sätze</translation>
</message>
<message>
<source>sentences {row} and {column}, {stage}: cosine {value}</source>
<translation>Sätze {row} und {column}, {stage}: Kosinus {value}</translation>
</message>
<message>
<source>several labels</source>
<translation>mehrere Labels</translation>
</message>
<message>
<source>share</source>
<translation>Anteil</translation>
</message>
<message>
<source>share of the log odds, in nats</source>
<translation>Anteil an den Log-Odds, in Nat</translation>
</message>
<message>
<source>share of the log-probability, in nats</source>
<translation>Anteil an der Log-Wahrscheinlichkeit, in Nat</translation>
</message>
<message>
<source>share of the score</source>
<translation>Anteil am Wert</translation>
</message>
<message>
<source>share of the weights</source>
<translation>Anteil an den Gewichten</translation>
</message>
<message>
<source>share right</source>
<translation>Anteil richtig</translation>
</message>
<message>
<source>shift</source>
<translation>Verschiebung</translation>
</message>
<message>
<source>similarity</source>
<translation>Ähnlichkeit</translation>
</message>
<message>
<source>sine waves, fixed</source>
<translation>Sinuswellen, fest</translation>
</message>
<message>
<source>single tokens</source>
<translation>einzelne Token</translation>
</message>
<message>
<source>size</source>
<translation>Größe</translation>
</message>
<message>
<source>size unknown</source>
<translation>Größe unbekannt</translation>
</message>
<message>
<source>skipped</source>
<translation>ausgelassen</translation>
</message>
<message>
<source>slanted triangle</source>
<translation>schräges Dreieck</translation>
</message>
<message>
<source>smooth</source>
<translation>geglättet</translation>
</message>
<message>
<source>snapshots at training steps {steps}</source>
<translation>Snapshots bei den Trainingsschritten {steps}</translation>
</message>
<message>
<source>softmax(q · k / √D)</source>
<translation>softmax(q · k / √D)</translation>
</message>
<message>
<source>softmax: its share of all e^score</source>
<translation>Softmax: Anteil an allen e^Score</translation>
</message>
<message>
<source>something is off</source>
<translation>etwas stimmt nicht</translation>
</message>
<message>
<source>spans of words</source>
<translation>Wortfolgen</translation>
</message>
<message>
<source>special token</source>
<translation>Spezialtoken</translation>
</message>
<message>
<source>special tokens</source>
<translation>Spezialtoken</translation>
</message>
<message>
<source>special tokens left out, rows rescaled to sum to 1</source>
<translation>ohne Spezialtoken, Zeilen auf Summe 1 gebracht</translation>
</message>
<message>
<source>squared error</source>
<translation>quadratischer Fehler</translation>
</message>
<message>
<source>squares: each head’s effect</source>
<translation>Quadrate: Wirkung des Kopfes</translation>
</message>
<message>
<source>step</source>
<translation>Schritt</translation>
</message>
<message>
<source>step {step}</source>
<translation>Schritt {step}</translation>
</message>
<message>
<source>step {step}, the newest before it</source>
<translation>Schritt {step} (letzter davor)</translation>
</message>
<message>
<source>step {step}: {word}</source>
<translation>Schritt {step}: {word}</translation>
</message>
<message>
<source>steps</source>
<translation>Schritte</translation>
</message>
<message>
<source>strongest colour: its highest weight</source>
<translation>kräftigste Farbe: höchstes Gewicht</translation>
</message>
<message>
<source>student</source>
<translation>Schüler</translation>
</message>
<message>
<source>subject – its verb</source>
<translation>Subjekt – sein Verb</translation>
</message>
<message>
<source>sum</source>
<translation>Summe</translation>
</message>
<message>
<source>sum = {sum}</source>
<translation>Summe = {sum}</translation>
</message>
<message>
<source>sum of {count} products = {total}</source>
<translation>Summe von {count} Produkten = {total}</translation>
</message>
<message>
<source>sum of {count} products and the bias = {total}</source>
<translation>Summe von {count} Produkten und dem Bias = {total}</translation>
</message>
<message>
<source>summarise</source>
<translation>zusammenfassen</translation>
</message>
<message>
<source>surprise (0: certain)</source>
<translation>Überraschung (0: sicher)</translation>
</message>
<message>
<source>surprise {bits}</source>
<translation>Überraschung {bits}</translation>
</message>
<message>
<source>surprising</source>
<translation>überraschend</translation>
</message>
<message>
<source>swapped in: {what}</source>
<translation>ausgetauscht: {what}</translation>
</message>
<message>
<source>swapping in</source>
<translation>Austauschen</translation>
</message>
<message>
<source>sweep</source>
<translation>Versuchsreihe</translation>
</message>
<message>
<source>switched off</source>
<translation>abgeschaltet</translation>
</message>
<message>
<source>switched-off heads count too, although they have no effect</source>
<translation>abgeschaltete Köpfe zählen mit, obwohl sie nicht wirken</translation>
</message>
<message>
<source>tag</source>
<translation>taggen</translation>
</message>
<message>
<source>tag {tag} of {token} ({position})</source>
<translation>Tag {tag} von {token} ({position})</translation>
</message>
<message>
<source>tag {tag} rather than {other} for {token} ({position})</source>
<translation>Tag {tag} statt {other} für {token} ({position})</translation>
</message>
<message>
<source>task</source>
<translation>Aufgabe</translation>
</message>
<message>
<source>teacher</source>
<translation>Lehrer</translation>
</message>
<message>
<source>teacher {model}</source>
<translation>Lehrer {model}</translation>
</message>
<message>
<source>test set</source>
<translation>Testdaten</translation>
</message>
<message>
<source>that of unseen words</source>
<translation>der von ungesehenen Wörtern</translation>
</message>
<message>
<source>that, to, if – its verb</source>
<translation>dass, zu, ob – ihr Verb</translation>
</message>
<message>
<source>the 50 nearest</source>
<translation>die 50 nächsten</translation>
</message>
<message>
<source>the answer</source>
<translation>Antwort</translation>
</message>
<message>
<source>the answer begins at {token} ({position})</source>
<translation>die Antwort beginnt bei {token} ({position})</translation>
</message>
<message>
<source>the answer begins at {token} ({position}) rather than {other} ({other_position})</source>
<translation>die Antwort beginnt bei {token} ({position}) statt bei {other} ({other_position})</translation>
</message>
<message>
<source>the answer ends at {token} ({position})</source>
<translation>die Antwort endet bei {token} ({position})</translation>
</message>
<message>
<source>the answer ends at {token} ({position}) rather than {other} ({other_position})</source>
<translation>die Antwort endet bei {token} ({position}) statt bei {other} ({other_position})</translation>
</message>
<message>
<source>the best of 100 random sets</source>
<translation>die beste von 100 Zufallsmengen</translation>
</message>
<message>
<source>the built-in model</source>
<translation>das mitgelieferte Modell</translation>
</message>
<message>
<source>the change inside the model</source>
<translation>Änderung im Modell</translation>
</message>
<message>
<source>the comparison</source>
<translation>den Vergleich</translation>
</message>
<message>
<source>the embeddings</source>
<translation>den Embeddings</translation>
</message>
<message>
<source>the feed-forward network of layer {layers} works on “{token}”</source>
<translation>das Feed-Forward-Netz der Schicht {layers} bearbeitet „{token}“</translation>
</message>
<message>
<source>the feed-forward networks of layers {layers} work on “{token}”</source>
<translation>die Feed-Forward-Netze der Schichten {layers} bearbeiten „{token}“</translation>
</message>
<message>
<source>the first token</source>
<translation>das erste Token</translation>
</message>
<message numerus="yes">
<source>the first word looks at the second; %Ln case(s)</source>
<translation>
<numerusform>das erste Wort schaut auf das zweite; %Ln Fall</numerusform>
<numerusform>das erste Wort schaut auf das zweite; %Ln Fälle</numerusform>
</translation>
</message>
<message>
<source>the first {count} of {width} numbers</source>
<translation>die ersten {count} von {width} Zahlen</translation>
</message>
<message>
<source>the hidden state of {token}</source>
<translation>der Hidden State von {token}</translation>
</message>
<message>
<source>the large picture</source>
<translation>das große Bild</translation>
</message>
<message>
<source>the last column is after the model’s final LayerNorm</source>
<translation>die letzte Spalte ist nach dem abschließenden LayerNorm des Modells</translation>
</message>
<message>
<source>the last saved</source>
<translation>der letzte gespeicherte</translation>
</message>
<message>
<source>the last saved is {newest}</source>
<translation>der letzte gespeicherte ist {newest}</translation>
</message>
<message>
<source>the last {shown} of {chosen} selected heads</source>
<translation>die letzten {shown} von {chosen} ausgewählten Köpfen</translation>
</message>
<message>
<source>the least important first</source>
<translation>die unwichtigsten zuerst</translation>
</message>
<message>
<source>the line across a bar: {baseline}</source>
<translation>der Strich auf dem Balken: {baseline}</translation>
</message>
<message>
<source>the line of {row} before</source>
<translation>die Linie von {row} vorher</translation>
</message>
<message numerus="yes">
<source>the line with what all %n head(s) (adds|add), and a bias</source>
<translation>
<numerusform>die Linie mit dem, was der eine Kopf und ein Bias addieren</numerusform>
<numerusform>die Linie mit dem, was alle %n Köpfe und ein Bias addieren</numerusform>
</translation>
</message>
<message>
<source>the loss</source>
<translation>der Loss</translation>
</message>
<message>
<source>the mean of its tokens’ hidden states</source>
<translation>das Mittel der Hidden States seiner Token</translation>
</message>
<message>
<source>the model: {claim} {answer}</source>
<translation>das Modell: {claim} {answer}</translation>
</message>
<message>
<source>the model’s guess</source>
<translation>der Tipp des Modells</translation>
</message>
<message>
<source>the most that could reach it</source>
<translation>was es höchstens erreichen könnte</translation>
</message>
<message>
<source>the newest snapshot before it</source>
<translation>dem neuesten Snapshot davor</translation>
</message>
<message>
<source>the open snapshot is no longer there</source>
<translation>den offenen Snapshot gibt es nicht mehr</translation>
</message>
<message>
<source>the part that moves most</source>
<translation>der Teil, der sich am meisten bewegt</translation>
</message>
<message>
<source>the prediction</source>
<translation>die Vorhersage</translation>
</message>
<message>
<source>the rest is filled with text from document {documents}</source>
<translation>der Rest ist mit Text aus Dokument {documents} aufgefüllt</translation>
</message>
<message>
<source>the right word</source>
<translation>das richtige Wort</translation>
</message>
<message>
<source>the score of this choice</source>
<translation>der Wert dieser Möglichkeit</translation>
</message>
<message numerus="yes">
<source>the second word looks at the first; %Ln case(s)</source>
<translation>
<numerusform>das zweite Wort schaut auf das erste; %Ln Fall</numerusform>
<numerusform>das zweite Wort schaut auf das erste; %Ln Fälle</numerusform>
</translation>
</message>
<message>
<source>the similarity to the other text</source>
<translation>die Ähnlichkeit zum anderen Text</translation>
</message>
<message>
<source>the strongest {count} of {all} lines, {share} of the attention</source>
<translation>die stärksten {count} von {all} Linien, {share} der Attention</translation>
</message>
<message>
<source>the unchanged model</source>
<translation>Modell ohne Änderung</translation>
</message>
<message>
<source>the verdict on A and B</source>
<translation>das Urteil über A und B</translation>
</message>
<message>
<source>the vocabulary has no token for “{text}”</source>
<translation>das Vokabular hat kein Token für „{text}“</translation>
</message>
<message>
<source>the whole hidden state</source>
<translation>der ganze Hidden State</translation>
</message>
<message>
<source>the word itself</source>
<translation>das Wort selbst</translation>
</message>
<message>
<source>the words for this mask</source>
<translation>die Wörter für diese Maske</translation>
</message>
<message>
<source>theme black colours accessibility eyes</source>
<translation>darstellung schwarz farben barrierefreiheit augen</translation>
</message>
<message>
<source>there are no tokens to show</source>
<translation>keine Token zu zeigen</translation>
</message>
<message>
<source>they are not JSON</source>
<translation>sie sind kein JSON</translation>
</message>
<message>
<source>they are not a JSON object</source>
<translation>sie sind kein JSON-Objekt</translation>
</message>
<message>
<source>they were written by another version of BERTscope</source>
<translation>sie stammen von einer anderen Version von BERTscope</translation>
</message>
<message>
<source>thickest: ±{difference}</source>
<translation>am dicksten: ±{difference}</translation>
</message>
<message>
<source>this plane shows {share} of the variance</source>
<translation>diese Ebene zeigt {share} der Varianz</translation>
</message>
<message>
<source>this text</source>
<translation>dieser Text</translation>
</message>
<message>
<source>this text is in the summary</source>
<translation>dieser Text gehört in die Zusammenfassung</translation>
</message>
<message>
<source>three groups by k-means; principal components</source>
<translation>drei Gruppen nach k-means; Hauptkomponenten</translation>
</message>
<message>
<source>threshold for F1</source>
<translation>Schwelle für F1</translation>
</message>
<message>
<source>threshold for exact match</source>
<translation>Schwelle für exakte Treffer</translation>
</message>
<message>
<source>times the output matrix: what this head adds to the line of {row}</source>
<translation>mal die Ausgabematrix: was dieser Kopf zur Linie von {row} addiert</translation>
</message>
<message>
<source>times the weight, {weight}</source>
<translation>mal das Gewicht, {weight}</translation>
</message>
<message>
<source>to learn from</source>
<translation>zum Lernen</translation>
</message>
<message>
<source>to predict</source>
<translation>gesucht</translation>
</message>
<message>
<source>to “{text}”</source>
<translation>zu „{text}“</translation>
</message>
<message>
<source>token</source>
<translation>Token</translation>
</message>
<message>
<source>token embeddings</source>
<translation>Token-Embeddings</translation>
</message>
<message>
<source>token table</source>
<translation>Token-Tabelle</translation>
</message>
<message>
<source>token {position} “{token}”</source>
<translation>Token {position} „{token}“</translation>
</message>
<message>
<source>token, segment, position, sum</source>
<translation>Token, Segment, Position, Summe</translation>
</message>
<message>
<source>token, segment, position, sum, difference</source>
<translation>Token, Segment, Position, Summe, Differenz</translation>
</message>
<message>
<source>tokens</source>
<translation>Token</translation>
</message>
<message>
<source>tokens found in only one text are left out</source>
<translation>Token, die nur in einem Text vorkommen, fehlen</translation>
</message>
<message>
<source>tokens read</source>
<translation>gelesene Token</translation>
</message>
<message>
<source>tokens to learn from</source>
<translation>Tokens zum Lernen</translation>
</message>
<message>
<source>tokens, powers of 10</source>
<translation>Token, Zehnerpotenz</translation>
</message>
<message>
<source>tokens/s</source>
<translation>Token/s</translation>
</message>
<message>
<source>too few uses</source>
<translation>zu wenige Verwendungen</translation>
</message>
<message>
<source>training</source>
<translation>Training</translation>
</message>
<message>
<source>training loss</source>
<translation>Trainings-Loss</translation>
</message>
<message>
<source>training step time machine snapshot before after learning</source>
<translation>trainingsschritt zeitmaschine snapshot vorher nachher lernen</translation>
</message>
<message>
<source>training step {step}</source>
<translation>Trainingsschritt {step}</translation>
</message>
<message>
<source>training, masked words</source>
<translation>Training, maskierte Wörter</translation>
</message>
<message>
<source>training, next word</source>
<translation>Training, nächstes Wort</translation>
</message>
<message>
<source>true ↓</source>
<translation>wahr ↓</translation>
</message>
<message>
<source>typing in {sentences}</source>
<translation>Eingabe in {sentences}</translation>
</message>
<message>
<source>u · v / (|u| |v|)</source>
<translation>u · v / (|u| |v|)</translation>
</message>
<message>
<source>u · v / (|u| |v|) · |u − v|</source>
<translation>u · v / (|u| |v|) · |u − v|</translation>
</message>
<message>
<source>unchanged</source>
<translation>unverändert</translation>
</message>
<message>
<source>under 0.1%</source>
<translation>unter 0,1 %</translation>
</message>
<message>
<source>underlined: judged to be replaced</source>
<translation>unterstrichen: gilt als ersetzt</translation>
</message>
<message>
<source>unmasking</source>
<translation>Aufdecken</translation>
</message>
<message>
<source>unsure: between {low} and {high}</source>
<translation>unsicher: zwischen {low} und {high}</translation>
</message>
<message>
<source>up to layer {layer}</source>
<translation>bis Schicht {layer}</translation>
</message>
<message>
<source>up to {longest} tokens; {longer} of {counted} longer than {limit}</source>
<translation>bis zu {longest} Tokens; {longer} von {counted} länger als {limit}</translation>
</message>
<message>
<source>usual</source>
<translation>üblich</translation>
</message>
<message>
<source>value</source>
<translation>Value</translation>
</message>
<message>
<source>value of {column}: what it passes on to whoever looks at it</source>
<translation>Value von {column}: was es an den weitergibt, der darauf schaut</translation>
</message>
<message>
<source>variance of the row</source>
<translation>Varianz der Zeile</translation>
</message>
<message>
<source>version licence license credits</source>
<translation>Version Lizenz Lizenzen Impressum</translation>
</message>
<message>
<source>very smooth</source>
<translation>stark geglättet</translation>
</message>
<message>
<source>very surprising</source>
<translation>sehr überraschend</translation>
</message>
<message>
<source>vocabulary of {size}</source>
<translation>Vokabular mit {size}</translation>
</message>
<message>
<source>vs {theirs}</source>
<translation>dort {theirs}</translation>
</message>
<message>
<source>warm-up: next word</source>
<translation>Aufwärmen: nächstes Wort</translation>
</message>
<message>
<source>warm-up: next word </source>
<translation>Aufwärmen: nächstes Wort </translation>
</message>
<message>
<source>warm-up: predict the next word </source>
<translation>Aufwärmen: das nächste Wort </translation>
</message>
<message>
<source>was here. The model read [MASK].</source>
<translation>stand hier. Das Modell las [MASK].</translation>
</message>
<message>
<source>was here. The model read “{read}”, a random word.</source>
<translation>stand hier. Das Modell las „{read}“, ein zufälliges Wort.</translation>
</message>
<message>
<source>was {theirs}</source>
<translation>vorher {theirs}</translation>
</message>
<message>
<source>weight now − weight before</source>
<translation>Gewicht jetzt − Gewicht vorher</translation>
</message>
<message>
<source>weight · ∂ ln p / ∂ weight · ln p − ln p(without)</source>
<translation>Gewicht · ∂ ln p / ∂ Gewicht · ln p − ln p(ohne)</translation>
</message>
<message>
<source>weight × value</source>
<translation>Gewicht × Value</translation>
</message>
<message>
<source>what attention adds</source>
<translation>was Attention addiert</translation>
</message>
<message>
<source>what attention adds to “{token}” in layer {layer}</source>
<translation>was Attention in Schicht {layer} zu „{token}“ addiert</translation>
</message>
<message>
<source>what feed-forward adds</source>
<translation>was Feed-Forward addiert</translation>
</message>
<message>
<source>what feed-forward adds to “{token}” in layer {layer}</source>
<translation>was Feed-Forward in Schicht {layer} zu „{token}“ addiert</translation>
</message>
<message>
<source>what the model predicts</source>
<translation>was das Modell vorhersagt</translation>
</message>
<message>
<source>what the token looks at</source>
<translation>worauf das Token schaut</translation>
</message>
<message>
<source>what was there</source>
<translation>was da war</translation>
</message>
<message>
<source>what was there + attention</source>
<translation>was da war + Attention</translation>
</message>
<message>
<source>what was there + feed-forward</source>
<translation>was da war + Feed-Forward</translation>
</message>
<message>
<source>what {token} looks at</source>
<translation>worauf {token} schaut</translation>
</message>
<message>
<source>where it is strongest</source>
<translation>am stärksten</translation>
</message>
<message>
<source>where it looks in head {head}</source>
<translation>wohin es in Kopf {head} schaut</translation>
</message>
<message>
<source>where it looks on average</source>
<translation>wohin es im Mittel schaut</translation>
</message>
<message>
<source>where its information came from</source>
<translation>woher seine Information kam</translation>
</message>
<message>
<source>whole words</source>
<translation>ganze Wörter</translation>
</message>
<message>
<source>with the answer marked</source>
<translation>mit markierter Antwort</translation>
</message>
<message>
<source>with the picked sentences marked</source>
<translation>mit den ausgewählten Sätzen markiert</translation>
</message>
<message>
<source>with {name}</source>
<translation>mit {name}</translation>
</message>
<message>
<source>with “{name}”</source>
<translation>mit „{name}“</translation>
</message>
<message>
<source>without a model</source>
<translation>ohne Modell</translation>
</message>
<message>
<source>without head {head} the preference changes by {value}</source>
<translation>ohne Kopf {head} ändert sich die Vorliebe um {value}</translation>
</message>
<message>
<source>without head {head} the preference would change by about {value}</source>
<translation>ohne Kopf {head} würde sich die Vorliebe um etwa {value} ändern</translation>
</message>
<message>
<source>without the swap</source>
<translation>ohne den Austausch</translation>
</message>
<message>
<source>without them</source>
<translation>ohne sie</translation>
</message>
<message>
<source>without your changes inside the model</source>
<translation>ohne die Änderungen im Modell</translation>
</message>
<message>
<source>word</source>
<translation>Wort</translation>
</message>
<message>
<source>word pieces merged: columns summed, rows and vectors averaged</source>
<translation>Wortstücke zusammengefasst: Spalten addiert, Zeilen und Vektoren gemittelt</translation>
</message>
<message>
<source>word prediction</source>
<translation>Wortvorhersage</translation>
</message>
<message>
<source>words correct</source>
<translation>richtige Wörter</translation>
</message>
<message>
<source>words: the mean of their pieces</source>
<translation>Wörter: das Mittel ihrer Stücke</translation>
</message>
<message>
<source>x = token + segment + position</source>
<translation>x = Token + Segment + Position</translation>
</message>
<message>
<source>x enters a layer; m = LayerNorm(x + attention); LayerNorm(m + feed-forward) goes on to the next.</source>
<translation>x geht in eine Schicht; m = LayerNorm(x + Attention); LayerNorm(m + Feed-Forward) geht in die nächste.</translation>
</message>
<message>
<source>x enters a layer; m = x + attention; m + feed-forward goes on to the next. Nothing is overwritten.</source>
<translation>x geht in eine Schicht; m = x + Attention; m + Feed-Forward geht in die nächste. Nichts wird überschrieben.</translation>
</message>
<message>
<source>x · W₁ + b</source>
<translation>x · W₁ + b</translation>
</message>
<message>
<source>x · {matrix} + b, head {head}</source>
<translation>x · {matrix} + b, Kopf {head}</translation>
</message>
<message>
<source>x, the number before this step</source>
<translation>x, die Zahl vor diesem Schritt</translation>
</message>
<message>
<source>your change comes later and cannot change the embeddings</source>
<translation>die Änderung kommt später und kann die Embeddings nicht ändern</translation>
</message>
<message>
<source>your guess</source>
<translation>dein Tipp</translation>
</message>
<message>
<source>zoom larger font</source>
<translation>zoom größer schrift vergrößern</translation>
</message>
<message numerus="yes">
<source>{all} random orders; measured on %Ln answer(s)</source>
<translation>
<numerusform>{all} zufällige Reihenfolgen; an %Ln Antwort gemessen</numerusform>
<numerusform>{all} zufällige Reihenfolgen; an %Ln Antworten gemessen</numerusform>
</translation>
</message>
<message>
<source>{baseline} has different layers or sizes, so its paths cannot be drawn on the same map. Hold X to see them.</source>
<translation>{baseline} hat andere Schichten oder Größen, daher passen seine Wege nicht auf dieselbe Karte. X gedrückt halten zeigt sie.</translation>
</message>
<message>
<source>{bits} bits</source>
<translation>{bits} Bit</translation>
</message>
<message>
<source>{change} with this head</source>
<translation>{change} mit diesem Kopf</translation>
</message>
<message>
<source>{class_points} : {model_points}. It is a draw.</source>
<translation>{class_points} : {model_points}. Unentschieden.</translation>
</message>
<message>
<source>{class_points} : {model_points}. The class has won.</source>
<translation>{class_points} : {model_points}. Die Klasse hat gewonnen.</translation>
</message>
<message>
<source>{class_points} : {model_points}. The model has won.</source>
<translation>{class_points} : {model_points}. Das Modell hat gewonnen.</translation>
</message>
<message>
<source>{column}, {row}: carries {value} of the difference</source>
<translation>{column}, {row}: trägt {value} des Unterschieds</translation>
</message>
<message>
<source>{count} lines, {share} of the attention</source>
<translation>{count} Linien, {share} der Attention</translation>
</message>
<message>
<source>{count} neurons work on each token alone; what they find is added to its line.</source>
<translation>{count} Neuronen bearbeiten jedes Token für sich; was sie finden, wird zu seiner Linie addiert.</translation>
</message>
<message>
<source>{count} of its {all} attention heads look at the same token from every position.</source>
<translation>{count} seiner {all} Attention-Köpfe schauen von jeder Position auf dasselbe Token.</translation>
</message>
<message>
<source>{count} of its {all} attention heads spread their attention evenly over all tokens.</source>
<translation>{count} seiner {all} Attention-Köpfe verteilen ihre Attention gleichmäßig auf alle Tokens.</translation>
</message>
<message>
<source>{count} of {parts} parts keep {share}. Start with all parts and keep dropping the one that matters least.</source>
<translation>Mit {count} von {parts} Teilen bleiben {share}. Schritt für Schritt fällt der Teil weg, auf den es am wenigsten ankommt.</translation>
</message>
<message>
<source>{count} of {total}</source>
<translation>{count} von {total}</translation>
</message>
<message>
<source>{count} parts are inside. Choose one to read its licence.</source>
<translation>Enthalten sind {count} Teile. Ein Klick auf einen Teil zeigt seine Lizenz.</translation>
</message>
<message>
<source>{count} unknown: it has no token for {lacks}</source>
<translation>{count} unbekannt: kein Token für {lacks}</translation>
</message>
<message>
<source>{distance} tokens</source>
<translation>{distance} Token</translation>
</message>
<message>
<source>{distance} words</source>
<translation>{distance} Wörter</translation>
</message>
<message>
<source>{documents} documents, {sentences} sentences, {words} words.</source>
<translation>{documents} Dokumente, {sentences} Sätze, {words} Wörter.</translation>
</message>
<message>
<source>{done} of {all} masks</source>
<translation>{done} von {all} Masken</translation>
</message>
<message>
<source>{done} of {of} runs done</source>
<translation>{done} von {of} Läufen fertig</translation>
</message>
<message>
<source>{error} ({share} of it)</source>
<translation>{error} ({share} davon)</translation>
</message>
<message>
<source>{factor} times as likely</source>
<translation>{factor}-mal so wahrscheinlich</translation>
</message>
<message numerus="yes">
<source>{fate}, %n time(s): {mean}</source>
<translation>
<numerusform>{fate}, %n-mal: {mean}</numerusform>
<numerusform>{fate}, %n-mal: {mean}</numerusform>
</translation>
</message>
<message>
<source>{field}: choose one of the columns of your file.</source>
<translation>{field}: eine der Spalten der Datei wählen.</translation>
</message>
<message>
<source>{field}: type a number from {low} to {high}.</source>
<translation>{field}: eine Zahl von {low} bis {high} eingeben.</translation>
</message>
<message>
<source>{field}: type a whole number from {low} to {high}.</source>
<translation>{field}: eine ganze Zahl von {low} bis {high} eingeben.</translation>
</message>
<message numerus="yes">
<source>{figure} over %n seed(s), from {least} to {most}.</source>
<translation>
<numerusform>{figure} über %n Startwert, von {least} bis {most}.</numerusform>
<numerusform>{figure} über %n Startwerte, von {least} bis {most}.</numerusform>
</translation>
</message>
<message>
<source>{figure} · best</source>
<translation>{figure} · beste</translation>
</message>
<message>
<source>{figure} · diverged</source>
<translation>{figure} · divergiert</translation>
</message>
<message>
<source>{file} already exists. Do you want to replace it?</source>
<translation>{file} gibt es schon. Ersetzen?</translation>
</message>
<message numerus="yes">
<source>{file} and %n more</source>
<translation>
<numerusform>{file} und %n weitere</numerusform>
<numerusform>{file} und %n weitere</numerusform>
</translation>
</message>
<message>
<source>{file} could not be opened: {reason}.</source>
<translation>{file} ließ sich nicht öffnen: {reason}.</translation>
</message>
<message>
<source>{file} does not contain the settings of a run; choose another file.</source>
<translation>{file} enthält keine Einstellungen eines Laufs; eine andere Datei wählen.</translation>
</message>
<message>
<source>{file} has more text than fits here; open a part of it, or use the command line.</source>
<translation>{file} hat mehr Text, als hier Platz hat; einen Teil davon öffnen oder die Befehlszeile nehmen.</translation>
</message>
<message>
<source>{file} has no answers that BERTscope can read; ask for the file again.</source>
<translation>In {file} sind keine Antworten, die BERTscope lesen kann; bitte die Datei noch einmal geben lassen.</translation>
</message>
<message>
<source>{file} is damaged or not a BERTscope session: it has an unknown entry, {name}.</source>
<translation>{file} ist beschädigt oder keine BERTscope-Sitzung: Es enthält einen unbekannten Eintrag, {name}.</translation>
</message>
<message>
<source>{file} is damaged or not a BERTscope session: it is not JSON.</source>
<translation>{file} ist beschädigt oder keine BERTscope-Sitzung: Es ist kein JSON.</translation>
</message>
<message>
<source>{file} is damaged or not a BERTscope session: it is not text.</source>
<translation>{file} ist beschädigt oder keine BERTscope-Sitzung: Es ist kein Text.</translation>
</message>
<message>
<source>{file} is damaged or not a BERTscope session: its entry {name} is wrong.</source>
<translation>{file} ist beschädigt oder keine BERTscope-Sitzung: Der Eintrag {name} ist falsch.</translation>
</message>
<message>
<source>{file} is damaged or not a BERTscope session: its format_version is {version}.</source>
<translation>{file} ist beschädigt oder keine BERTscope-Sitzung: format_version ist {version}.</translation>
</message>
<message>
<source>{file} is damaged or not a BERTscope session: {reason}.</source>
<translation>{file} ist beschädigt oder keine BERTscope-Sitzung: {reason}.</translation>
</message>
<message>
<source>{file} is not a BERTscope session; open a file that BERTscope has saved.</source>
<translation>{file} ist keine BERTscope-Sitzung; eine Datei öffnen, die BERTscope gespeichert hat.</translation>
</message>
<message>
<source>{file} is not there; choose another file.</source>
<translation>{file} ist nicht da; eine andere Datei wählen.</translation>
</message>
<message>
<source>{file} is there already; nothing is written over it.</source>
<translation>{file} gibt es schon; es wird nicht überschrieben.</translation>
</message>
<message>
<source>{file} is too large for a BERTscope session; open another file.</source>
<translation>{file} ist zu groß für eine BERTscope-Sitzung; eine andere Datei öffnen.</translation>
</message>
<message>
<source>{file} was saved by a newer version of BERTscope; open it with that version.</source>
<translation>{file} wurde mit einer neueren Version von BERTscope gespeichert; mit dieser öffnen.</translation>
</message>
<message>
<source>{fire} of the {neurons} neurons fire for “{token}”, neuron {neuron} the most: {most}.</source>
<translation>{fire} der {neurons} Neuronen feuern bei „{token}“, am stärksten Neuron {neuron}: {most}.</translation>
</message>
<message>
<source>{first} is right in {one}, {second} in {two}; both are wrong in {wrong} of {count}. Were they equally good, so uneven a split would come by chance with probability {p} (McNemar’s exact test).</source>
<translation>{first} liegt in {one} richtig, {second} in {two}; beide falsch in {wrong} von {count}. Wären sie gleich gut, käme ein so ungleicher Ausgang durch Zufall mit Wahrscheinlichkeit {p} vor (exakter McNemar-Test).</translation>
</message>
<message>
<source>{first} to {last}</source>
<translation>{first} bis {last}</translation>
</message>
<message>
<source>{flips} of {all} boxes say another word than in “{other}” (orange: there → here).</source>
<translation>{flips} von {all} Kästchen sagen ein anderes Wort als in „{other}“ (orange: dort → hier).</translation>
</message>
<message>
<source>{folder} is not empty; choose another folder, or make a new one.</source>
<translation>{folder} ist nicht leer; einen anderen Ordner wählen oder einen neuen anlegen.</translation>
</message>
<message>
<source>{free} of {all} {part} can go before the loss is {least} higher; without any it is {last} higher.</source>
<translation>{free} von {all} {part} können weg, bevor der Loss um {least} höher ist; ganz ohne ist er um {last} höher.</translation>
</message>
<message>
<source>{free} of {all} {part} can go before {least} points fewer answers are right. With all, {whole} are right, without any {last}; always answering “{always}” would get {often}.</source>
<translation>{free} von {all} {part} können weg, bevor {least} Punkte weniger Antworten stimmen. Mit allen stimmen {whole}, ganz ohne {last}; immer „{always}“ zu antworten träfe {often}.</translation>
</message>
<message>
<source>{given} instead of {right}</source>
<translation>{given} statt {right}</translation>
</message>
<message>
<source>{head} at “{token}” looks most at “{other}” ({share})</source>
<translation>{head} bei „{token}“ achtet am meisten auf „{other}“ ({share})</translation>
</message>
<message>
<source>{head} off</source>
<translation>{head} aus</translation>
</message>
<message>
<source>{head} · off</source>
<translation>{head} · aus</translation>
</message>
<message>
<source>{head}: highest weight {weight}</source>
<translation>{head}: höchstes Gewicht {weight}</translation>
</message>
<message>
<source>{head}: the most similar one</source>
<translation>{head}: der ähnlichste</translation>
</message>
<message>
<source>{head}: the same direction in all {count} pairs.</source>
<translation>{head}: dieselbe Richtung in allen {count} Paaren.</translation>
</message>
<message>
<source>{head}: the same direction in {same} of {count} pairs; the others are counter-examples.</source>
<translation>{head}: dieselbe Richtung in {same} von {count} Paaren, die anderen sind Gegenbeispiele.</translation>
</message>
<message>
<source>{lesson} · page {number} of {count}</source>
<translation>{lesson} · Seite {number} von {count}</translation>
</message>
<message>
<source>{lines} lines of {heads} heads</source>
<translation>{lines} Linien von {heads} Köpfen</translation>
</message>
<message>
<source>{loss}, last batch</source>
<translation>{loss}, letzter Batch</translation>
</message>
<message>
<source>{low} to {high} sure</source>
<translation>{low} bis {high} sicher</translation>
</message>
<message>
<source>{mask} at position {position}</source>
<translation>{mask} an Position {position}</translation>
</message>
<message>
<source>{mask} could be</source>
<translation>{mask} könnte sein:</translation>
</message>
<message>
<source>{mask} hides “{word}”</source>
<translation>{mask} verdeckt „{word}“</translation>
</message>
<message>
<source>{mask} is in the text</source>
<translation>{mask} steht im Text</translation>
</message>
<message>
<source>{mean} · all {count} runs</source>
<translation>{mean} · alle {count} Läufe</translation>
</message>
<message>
<source>{mean} · {measured} of {all}</source>
<translation>{mean} · {measured} von {all}</translation>
</message>
<message>
<source>{model} (built in)</source>
<translation>{model} (mitgeliefert)</translation>
</message>
<message>
<source>{model} (not open now): {happens}</source>
<translation>{model} (jetzt nicht offen): {happens}</translation>
</message>
<message>
<source>{model} cannot predict words.</source>
<translation>{model} kann keine Wörter vorhersagen.</translation>
</message>
<message>
<source>{model} has no snapshot of step {step}; it has: {known}.</source>
<translation>{model} hat keinen Snapshot von Schritt {step}; es hat: {known}.</translation>
</message>
<message>
<source>{model} has no snapshots</source>
<translation>{model} hat keine Snapshots</translation>
</message>
<message>
<source>{model} has no snapshots of its training</source>
<translation>Von {model} gibt es keine Snapshots des Trainings</translation>
</message>
<message>
<source>{model} is not the same model as when the session was saved: its weights or settings differ.</source>
<translation>{model} ist nicht mehr dasselbe Modell wie beim Speichern der Sitzung: Gewichte oder Einstellungen sind anders.</translation>
</message>
<message>
<source>{model} was not fine-tuned for this task, so it has no answer to compare.</source>
<translation>{model} wurde nicht für diese Aufgabe feingetunt; deshalb gibt es keine Antwort zum Vergleichen.</translation>
</message>
<message>
<source>{model}: German, a toy (built in)</source>
<translation>{model}: Deutsch, ein Spielzeug (eingebaut)</translation>
</message>
<message>
<source>{model}: {count} parameters, without those that predict. V: vocabulary, P: positions, T: segments, H: width, L: layers, I: inside feed-forward.</source>
<translation>{model}: {count} Parameter, ohne die der Vorhersage. V: Vokabular, P: Positionen, T: Segmente, H: Breite, L: Schichten, I: innen im Feed-Forward.</translation>
</message>
<message>
<source>{model}: {happens}</source>
<translation>{model}: {happens}</translation>
</message>
<message>
<source>{name} has failed</source>
<translation>{name} ist gescheitert</translation>
</message>
<message>
<source>{name} is done</source>
<translation>{name} ist fertig</translation>
</message>
<message>
<source>{name} words</source>
<translation>{name} Wörter</translation>
</message>
<message>
<source>{name} · sweep</source>
<translation>{name} · Versuchsreihe</translation>
</message>
<message>
<source>{name}, the first {count}</source>
<translation>{name}, die ersten {count}</translation>
</message>
<message>
<source>{name}: click to show or hide it</source>
<translation>{name}: Ein Klick blendet es ein oder aus</translation>
</message>
<message>
<source>{name}; the up and down keys change it too</source>
<translation>{name}; auch mit den Tasten Auf und Ab zu ändern</translation>
</message>
<message>
<source>{nats} nats</source>
<translation>{nats} Nat</translation>
</message>
<message>
<source>{now}; with the baseline: {word} {probability}</source>
<translation>{now}; mit der Baseline: {word} {probability}</translation>
</message>
<message>
<source>{numbers}, compared with the baseline</source>
<translation>{numbers}, verglichen mit der Baseline</translation>
</message>
<message>
<source>{number} of {count}</source>
<translation>{number} von {count}</translation>
</message>
<message>
<source>{number}. {title} ({minutes} min)</source>
<translation>{number}. {title} ({minutes} min)</translation>
</message>
<message>
<source>{others} and {last}</source>
<translation>{others} und {last}</translation>
</message>
<message>
<source>{parameters} parameters.</source>
<translation>{parameters} Parameter.</translation>
</message>
<message>
<source>{part} of {token} ({position}), dimension {dimension}: {value}</source>
<translation>{part} von {token} ({position}), Dimension {dimension}: {value}</translation>
</message>
<message>
<source>{part}: moved by {change}, {share} of its length before training ({before})</source>
<translation>{part}: hat sich um {change} bewegt, {share} seiner Länge vor dem Training ({before})</translation>
</message>
<message>
<source>{part}: {formula} = {count} parameters</source>
<translation>{part}: {formula} = {count} Parameter</translation>
</message>
<message>
<source>{perplexity} (worse than guessing at random)</source>
<translation>{perplexity} (schlechter als blindes Raten)</translation>
</message>
<message>
<source>{picked} of {all} sentences picked</source>
<translation>{picked} von {all} Sätzen ausgewählt</translation>
</message>
<message>
<source>{pieces}: the product of each piece’s probability, given the pieces before it. It has no rank: there is no list of all words of several pieces.</source>
<translation>{pieces}: das Produkt der Wahrscheinlichkeiten aller Stücke, jedes mit den Stücken davor. Einen Rang gibt es nicht, denn es gibt keine Liste aller Wörter aus mehreren Stücken.</translation>
</message>
<message>
<source>{piece} is in the vocabulary: cut.</source>
<translation>{piece} steht im Vokabular: abgeschnitten.</translation>
</message>
<message>
<source>{piece}: not there.</source>
<translation>{piece}: nicht dabei.</translation>
</message>
<message>
<source>{place}: {numbers}</source>
<translation>{place}: {numbers}</translation>
</message>
<message>
<source>{prediction}: this text {ours}, the other text {theirs}</source>
<translation>{prediction}: dieser Text {ours}, der andere Text {theirs}</translation>
</message>
<message>
<source>{rest} of {all} heads may have no effect.</source>
<translation>{rest} von {all} Köpfen haben vielleicht keine Wirkung.</translation>
</message>
<message numerus="yes">
<source>{right} of %n sentence(s) right</source>
<translation>
<numerusform>{right} von %n Satz richtig</numerusform>
<numerusform>{right} von %n Sätzen richtig</numerusform>
</translation>
</message>
<message numerus="yes">
<source>{right} of %n word(s) right</source>
<translation>
<numerusform>{right} von %n Wort richtig</numerusform>
<numerusform>{right} von %n Wörtern richtig</numerusform>
</translation>
</message>
<message>
<source>{right} of the {count} options are right with this model.</source>
<translation>{right} der {count} Möglichkeiten sind bei diesem Modell richtig.</translation>
</message>
<message>
<source>{right} of {all} right</source>
<translation>{right} von {all} richtig</translation>
</message>
<message>
<source>{right} of {all} right; dashed: wrong</source>
<translation>{right} von {all} richtig; gestrichelt: falsch</translation>
</message>
<message>
<source>{row} adds {value} to the logit</source>
<translation>{row} trägt {value} zum Logit bei</translation>
</message>
<message>
<source>{row} and the baseline {column}: {value} of 1</source>
<translation>{row} und die Baseline {column}: {value} von 1</translation>
</message>
<message>
<source>{row} and {column}, {stage}: similarity {value}</source>
<translation>{row} und {column}, {stage}: Ähnlichkeit {value}</translation>
</message>
<message>
<source>{row} at position {number}</source>
<translation>{row} an Position {number}</translation>
</message>
<message>
<source>{row} at {column}: {value} of the difference</source>
<translation>{row} bei {column}: {value} des Unterschieds</translation>
</message>
<message>
<source>{row} looks at {column} with weight {before} → {after}; the rest of the row makes up the difference</source>
<translation>{row} schaut auf {column} mit Gewicht {before} → {after}; der Rest der Zeile gleicht es aus</translation>
</message>
<message>
<source>{row} looks at {column} with weight {weight}</source>
<translation>{row} schaut auf {column} mit Gewicht {weight}</translation>
</message>
<message>
<source>{row} looks at {column}: {before} → {now} ({change})</source>
<translation>{row} schaut auf {column}: {before} → {now} ({change})</translation>
</message>
<message>
<source>{row} looks at {column}: {change} on average</source>
<translation>{row} schaut auf {column}: {change} im Mittel</translation>
</message>
<message>
<source>{row} looks at {column}: {value}</source>
<translation>{row} sieht {column} an: {value}</translation>
</message>
<message>
<source>{row} or {column} has no counterpart in the baseline</source>
<translation>{row} oder {column} hat bei der Baseline kein Gegenstück</translation>
</message>
<message>
<source>{row} to {column}: ln p changes by {change} per unit of this weight</source>
<translation>{row} auf {column}: ln p ändert sich um {change} je Einheit dieses Gewichts</translation>
</message>
<message>
<source>{row} to {column}: the log odds change by {change} per unit of this weight</source>
<translation>{row} zu {column}: Die Log-Odds ändern sich um {change} je Einheit dieses Gewichts</translation>
</message>
<message>
<source>{row} to {column}: the score changes by {change} per unit of this weight</source>
<translation>{row} auf {column}: Der Wert ändert sich um {change} je Einheit dieses Gewichts</translation>
</message>
<message>
<source>{row} to {column}: {change} (+0.01: a weight 1 higher makes the answer 1% more likely)</source>
<translation>{row} zu {column}: {change} (+0,01: ein um 1 höheres Gewicht macht die Antwort um 1 % wahrscheinlicher)</translation>
</message>
<message>
<source>{row} to {column}: {change} (+0.01: a weight 1 higher raises the odds by 1%)</source>
<translation>{row} zu {column}: {change} (+0,01: ein um 1 höheres Gewicht hebt die Chancen um 1 %)</translation>
</message>
<message>
<source>{row}, answered {column}: {value}</source>
<translation>{row}, als {column} beantwortet: {value}</translation>
</message>
<message>
<source>{row}, trained with {column}: found in {value} of the places</source>
<translation>{row}, trainiert mit {column}: an {value} der Stellen gefunden</translation>
</message>
<message>
<source>{row}, {column}: similarity {value} with the baseline</source>
<translation>{row}, {column}: Ähnlichkeit {value} mit der Baseline</translation>
</message>
<message>
<source>{row}, {column}: size {value}</source>
<translation>{row}, {column}: Größe {value}</translation>
</message>
<message>
<source>{row}, {column}: {value}</source>
<translation>{row}, {column}: {value}</translation>
</message>
<message>
<source>{row}: attention mask {value}</source>
<translation>{row}: Attention-Maske {value}</translation>
</message>
<message>
<source>{row}: head {column} finds {value}, all sentences together</source>
<translation>{row}: Kopf {column} findet {value}, alle Sätze zusammen</translation>
</message>
<message>
<source>{row}: the token of the text has probability {value}</source>
<translation>{row}: Das Token des Textes hat Wahrscheinlichkeit {value}</translation>
</message>
<message>
<source>{row}: {value}</source>
<translation>{row}: {value}</translation>
</message>
<message>
<source>{row}: {value} kept</source>
<translation>{row}: {value} bleiben</translation>
</message>
<message>
<source>{said} Loss: {loss} per label.</source>
<translation>{said} Loss: {loss} je Label.</translation>
</message>
<message>
<source>{said} Loss: {loss}; the right answer got a probability of {p}.</source>
<translation>{said} Loss: {loss}; die richtige Antwort bekam eine Wahrscheinlichkeit von {p}.</translation>
</message>
<message>
<source>{said} Squared error: {loss}.</source>
<translation>{said} Quadratischer Fehler: {loss}.</translation>
</message>
<message>
<source>{settings} was best: {figure}.</source>
<translation>{settings} war am besten: {figure}.</translation>
</message>
<message>
<source>{setting} (logarithmic)</source>
<translation>{setting} (logarithmisch)</translation>
</message>
<message>
<source>{setting} {value}, seed {seed}: {figure}</source>
<translation>{setting} {value}, Seed {seed}: {figure}</translation>
</message>
<message>
<source>{share} (no)</source>
<translation>{share} (nein)</translation>
</message>
<message>
<source>{share} (unsure)</source>
<translation>{share} (unsicher)</translation>
</message>
<message>
<source>{share} (yes)</source>
<translation>{share} (ja)</translation>
</message>
<message>
<source>{share} can flow from {column} to {row}</source>
<translation>{share} können von {column} nach {row} fließen</translation>
</message>
<message>
<source>{share} can flow from {column} to {row}, compared with the baseline</source>
<translation>{share} kann von {column} zu {row} fließen, verglichen mit der Baseline</translation>
</message>
<message>
<source>{share} correct</source>
<translation>{share} richtig</translation>
</message>
<message>
<source>{share} of its attention</source>
<translation>{share} seiner Attention</translation>
</message>
<message>
<source>{share} of the attention</source>
<translation>{share} der Attention</translation>
</message>
<message>
<source>{share} of the batch is padding, up to the longest text; the model ignores it.</source>
<translation>{share} des Batches sind Padding bis zur Länge des längsten Textes; das Modell beachtet es nicht.</translation>
</message>
<message>
<source>{share} of the difference is lost when this part alone gives its output on the other text.</source>
<translation>Verlust: {share} des Unterschieds, wenn nur dieser Teil seine Ausgabe beim anderen Text gibt.</translation>
</message>
<message>
<source>{share} of the difference is lost when {receiver} alone reads what {sender} outputs on the other text.</source>
<translation>Verlust: {share} des Unterschieds, wenn nur {receiver} liest, was {sender} beim anderen Text ausgibt.</translation>
</message>
<message>
<source>{share} of the variance</source>
<translation>{share} der Varianz</translation>
</message>
<message>
<source>{share} of {count} are right; always answering “{always}” would get {often}.</source>
<translation>{share} von {count} sind richtig; immer „{always}“ zu antworten träfe {often}.</translation>
</message>
<message>
<source>{share} of {row} comes from {column}</source>
<translation>{share} von {row} kommt aus {column}</translation>
</message>
<message>
<source>{share} of {row} comes from {column}, compared with the baseline</source>
<translation>{share} von {row} kommt von {column}, verglichen mit der Baseline</translation>
</message>
<message>
<source>{share}, of {count} words; random tags {control}</source>
<translation>{share}, von {count} Wörtern; zufällige Tags {control}</translation>
</message>
<message numerus="yes">
<source>{shown} of %n snapshot(s)</source>
<translation>
<numerusform>{shown} von %n Snapshot</numerusform>
<numerusform>{shown} von %n Snapshots</numerusform>
</translation>
</message>
<message>
<source>{size} each</source>
<translation>je {size}</translation>
</message>
<message>
<source>{some} of {all} rows were compared.</source>
<translation>{some} von {all} Zeilen wurden verglichen.</translation>
</message>
<message>
<source>{stages} at “{token}”</source>
<translation>{stages} bei „{token}“</translation>
</message>
<message>
<source>{state} · step {step}</source>
<translation>{state} · Schritt {step}</translation>
</message>
<message>
<source>{state} · step {step} of {total}</source>
<translation>{state} · Schritt {step} von {total}</translation>
</message>
<message>
<source>{step} then gives every token about the same length: {length}</source>
<translation>{step} gibt dann jedem Token etwa dieselbe Länge: {length}</translation>
</message>
<message>
<source>{step} · newest</source>
<translation>{step} · neuester</translation>
</message>
<message>
<source>{there}: {numbers}</source>
<translation>{there}: {numbers}</translation>
</message>
<message numerus="yes">
<source>{time} for %Ln step(s)</source>
<translation>
<numerusform>{time} für %Ln Schritt</numerusform>
<numerusform>{time} für %Ln Schritte</numerusform>
</translation>
</message>
<message>
<source>{time} left</source>
<translation>noch {time}</translation>
</message>
<message>
<source>{time} to measure</source>
<translation>{time} zum Messen</translation>
</message>
<message>
<source>{time} to read the data</source>
<translation>{time} zum Lesen der Daten</translation>
</message>
<message>
<source>{time} to save</source>
<translation>{time} zum Speichern</translation>
</message>
<message numerus="yes">
<source>{tip}, on %n example(s)</source>
<translation>
<numerusform>{tip}, auf %n Beispiel</numerusform>
<numerusform>{tip}, auf %n Beispielen</numerusform>
</translation>
</message>
<message>
<source>{title} ({minutes} min)</source>
<translation>{title} ({minutes} min)</translation>
</message>
<message>
<source>{title} is the column “{column}”</source>
<translation>{title} ist die Spalte „{column}“</translation>
</message>
<message>
<source>{title}: rows look at columns</source>
<translation>{title}: Zeilen schauen auf Spalten</translation>
</message>
<message>
<source>{tokens} and {count} [PAD].</source>
<translation>{tokens} und {count} [PAD].</translation>
</message>
<message>
<source>{tokens} fit. {count} more are cut off (struck through), each from the end of the longer sentence.</source>
<translation>{tokens} passen hinein. Abgeschnitten (durchgestrichen): {count}, jeweils am Ende des gerade längeren Satzes.</translation>
</message>
<message>
<source>{tokens} fit. {count} more are cut off at the end (struck through).</source>
<translation>{tokens} passen hinein. Am Ende abgeschnitten (durchgestrichen): {count}.</translation>
</message>
<message>
<source>{token} ({place}) at position {position}</source>
<translation>{token} ({place}) an Position {position}</translation>
</message>
<message>
<source>{token} ({place}) in segment {segment}</source>
<translation>{token} ({place}) in Segment {segment}</translation>
</message>
<message>
<source>{token} ({position}) was replaced</source>
<translation>{token} ({position}) wurde ersetzt</translation>
</message>
<message>
<source>{token} at position {position}</source>
<translation>{token} an Position {position}</translation>
</message>
<message>
<source>{token} has no counterpart in the baseline</source>
<translation>{token} hat bei der Baseline kein Gegenstück</translation>
</message>
<message>
<source>{token} looks at</source>
<translation>{token} schaut auf</translation>
</message>
<message>
<source>{token} swapped in</source>
<translation>{token} eingesetzt</translation>
</message>
<message>
<source>{token} {there}</source>
<translation>{token} {there}</translation>
</message>
<message>
<source>{token}: {probability}</source>
<translation>{token}: {probability}</translation>
</message>
<message>
<source>{token}: {surprise}, probability {probability}</source>
<translation>{token}: {surprise}, Wahrscheinlichkeit {probability}</translation>
</message>
<message>
<source>{token}: {value} nats · {method}</source>
<translation>{token}: {value} Nat · {method}</translation>
</message>
<message>
<source>{token}: {value} · {method}</source>
<translation>{token}: {value} · {method}</translation>
</message>
<message>
<source>{unit} fires most at {words}: {share} of the places where it is strongest have one and the same token.</source>
<translation>{unit} feuert am stärksten bei {words}: An {share} der stärksten Stellen steht ein und dasselbe Token.</translation>
</message>
<message>
<source>{value} (between {low} and {high})</source>
<translation>{value} (zwischen {low} und {high})</translation>
</message>
<message>
<source>{value} on a scale from {low} to {high}</source>
<translation>{value} auf einer Skala von {low} bis {high}</translation>
</message>
<message>
<source>{verdict} (with changes)</source>
<translation>{verdict} (mit Änderungen)</translation>
</message>
<message>
<source>{what} with this text: {now}.</source>
<translation>{what} mit diesem Text: {now}.</translation>
</message>
<message>
<source>{what}: {now} with this text, {then} with every word masked.</source>
<translation>{what}: {now} mit diesem Text, {then}, wenn jedes Wort maskiert ist.</translation>
</message>
<message>
<source>{where}, a probe gets {share} of all tags right, and {control} of random ones. Without a model: {alone} (each word’s commonest tag).</source>
<translation>{where} liest eine Probe {share} aller Tags richtig ab, von zufälligen {control}. Ohne Modell: {alone} (der häufigste Tag jedes Worts).</translation>
</message>
<message>
<source>{where}, all {count} nearest uses are the word “{word}” itself.</source>
<translation>{where} sind alle {count} nächsten Verwendungen das Wort „{word}“ selbst.</translation>
</message>
<message>
<source>{where}, all {uses} uses of “{word}” here are among the {count} nearest; so are {others}.</source>
<translation>{where}: unter den {count} nächsten alle {uses} Verwendungen von „{word}“ in der Sammlung, außerdem {others}.</translation>
</message>
<message>
<source>{where}, none of the {uses} uses of “{word}” here is among the {count} nearest, but {others}.</source>
<translation>{where}: unter den {count} nächsten keine von {uses} Verwendungen von „{word}“ in der Sammlung, dafür {others}.</translation>
</message>
<message>
<source>{where}, {count} clusters explain {apart} of the differences; of random points {chance}.</source>
<translation>{where} erklären {count} Cluster {apart} der Unterschiede; bei zufälligen Punkten {chance}.</translation>
</message>
<message>
<source>{where}, {count} clusters match the labels at {value} (1: perfectly; 0: no better than chance).</source>
<translation>{where}: {count} Cluster passen mit {value} zu den Labels (1: vollkommen; 0: nicht besser als Zufall).</translation>
</message>
<message>
<source>{where}, {count} clusters match the labels no better than chance could: {value}.</source>
<translation>{where} passen {count} Cluster nicht besser zu den Labels, als es Zufall sein könnte: {value}.</translation>
</message>
<message>
<source>{where}, {same} of the {uses} uses of “{word}” here are among the {count} nearest; so are {others}.</source>
<translation>{where}: unter den {count} nächsten {same} von {uses} Verwendungen von „{word}“ in der Sammlung, außerdem {others}.</translation>
</message>
<message>
<source>{where}: {verdict}</source>
<translation>{where}: {verdict}</translation>
</message>
<message>
<source>{where}: “{word}” {probability} → now: “{new_word}” {new_probability}</source>
<translation>{where}: „{word}“ {probability} → jetzt: „{new_word}“ {new_probability}</translation>
</message>
<message>
<source>{words} also count.</source>
<translation>Auch {words} zählen.</translation>
</message>
<message>
<source>{words} also counts.</source>
<translation>Auch {words} zählt.</translation>
</message>
<message>
<source>{words} words in {pieces} tokens: {mean} per word</source>
<translation>{words} Wörter in {pieces} Token: {mean} je Wort</translation>
</message>
<message>
<source>{word} at {position}</source>
<translation>{word} an Stelle {position}</translation>
</message>
<message>
<source>{word}, inserted</source>
<translation>{word}, eingesetzt</translation>
</message>
<message>
<source>{word}: cosine {cosine}</source>
<translation>{word}: Kosinus {cosine}</translation>
</message>
<message>
<source>{x} parts</source>
<translation>{x} Teile</translation>
</message>
<message>
<source>{x} taken out</source>
<translation>{x} weggenommen</translation>
</message>
<message>
<source>±: one standard error of a share of pairs</source>
<translation>±: ein Standardfehler eines Anteils von Paaren</translation>
</message>
<message>
<source>±: the standard error, by how much the share would differ with other pairs of this kind; with all or none right it cannot be estimated.</source>
<translation>±: der Standardfehler, um so viel würde der Anteil bei anderen Paaren dieser Art schwanken; sind alle oder keine richtig, lässt er sich nicht schätzen.</translation>
</message>
<message>
<source>×2: the head doubles the odds of “{first}” against “{second}”.</source>
<translation>×2: Der Kopf verdoppelt die Chancen von „{first}“ gegen „{second}“.</translation>
</message>
<message>
<source>×2: the head makes the answer twice as likely.</source>
<translation>×2: Der Kopf macht die Antwort doppelt so wahrscheinlich.</translation>
</message>
<message>
<source>×: diverged or failed</source>
<translation>×: divergiert oder gescheitert</translation>
</message>
<message>
<source>Π ½ (I + mean of heads), over the layers</source>
<translation>Π ½ (I + Mittel der Köpfe), über die Schichten</translation>
</message>
<message>
<source>Σ ln p(token | all others)</source>
<translation>Σ ln p(Token | alle anderen)</translation>
</message>
<message>
<source>Σ weight (A → B) / |A|</source>
<translation>Σ Gewicht (A → B) / |A|</translation>
</message>
<message>
<source>Σ weight · |i − j|</source>
<translation>Σ Gewicht · |i − j|</translation>
</message>
<message>
<source>Σ weight × value, over tokens</source>
<translation>Σ Gewicht × Value, über die Token</translation>
</message>
<message>
<source>Σ −log₂ p(wrong) − Σ −log₂ p(right), each token masked in turn</source>
<translation>Σ −log₂ p(falsch) − Σ −log₂ p(richtig), jedes Token einmal maskiert</translation>
</message>
<message>
<source>Φ(x), approximated with tanh</source>
<translation>Φ(x), mit tanh angenähert</translation>
</message>
<message>
<source>Φ(x), normal distribution</source>
<translation>Φ(x), Normalverteilung</translation>
</message>
<message>
<source>σ(x), logistic function</source>
<translation>σ(x), logistische Funktion</translation>
</message>
<message>
<source>‖now − before‖</source>
<translation>‖jetzt − vorher‖</translation>
</message>
<message>
<source>‖now − before‖ / ‖before‖, of all weights and biases</source>
<translation>‖jetzt − vorher‖ / ‖vorher‖, über alle Gewichte und Biases</translation>
</message>
<message>
<source>‘that …’ clause – its verb</source>
<translation>‚dass …‘-Satz – sein Verb</translation>
</message>
<message>
<source>‘to go’ – ‘want’</source>
<translation>‚gehen‘ – ‚wollen‘</translation>
</message>
<message>
<source>‘when …’ clause – main verb</source>
<translation>‚wenn …‘-Satz – Hauptverb</translation>
</message>
<message>
<source>“:: contrast” takes two words, the one asked about and the one against it.</source>
<translation>„:: contrast“ braucht zwei Wörter: das, nach dem gefragt wird, und das, mit dem es verglichen wird.</translation>
</message>
<message>
<source>“:: cut” takes one word.</source>
<translation>„:: cut“ nimmt ein einziges Wort.</translation>
</message>
<message>
<source>“:: within” takes a number, such as 1 or 10%.</source>
<translation>„:: within“ nimmt eine Zahl, etwa 1 oder 10%.</translation>
</message>
<message>
<source>“:: {name}” needs something after it.</source>
<translation>Nach „:: {name}“ muss etwas folgen.</translation>
</message>
<message>
<source>“start” is for tasks: a claim holds when the page opens.</source>
<translation>„start“ ist für Aufgaben: Eine Behauptung (claim) gilt, wenn die Seite sich öffnet.</translation>
</message>
<message>
<source>“{column}”, {row}: probability {value}</source>
<translation>„{column}“, {row}: Wahrscheinlichkeit {value}</translation>
</message>
<message>
<source>“{first}” is {ours} times as likely as “{second}” in this text, {other} times in the other.</source>
<translation>„{first}“ ist in diesem Text {ours}-mal so wahrscheinlich wie „{second}“, im anderen {other}-mal.</translation>
</message>
<message>
<source>“{measure} {operator} {wanted}” does not hold: it is {value}.</source>
<translation>„{measure} {operator} {wanted}“ gilt nicht: Es ist {value}.</translation>
</message>
<message>
<source>“{more}” and “{less}” are equally likely.</source>
<translation>„{more}“ und „{less}“ sind gleich wahrscheinlich.</translation>
</message>
<message>
<source>“{more}” is as likely as “{less}”</source>
<translation>„{more}“ ist so wahrscheinlich wie „{less}“</translation>
</message>
<message>
<source>“{more}” is {factor} times as likely as “{less}”</source>
<translation>„{more}“ ist {factor}-mal so wahrscheinlich wie „{less}“</translation>
</message>
<message>
<source>“{more}” makes the text {factor} times as likely as “{less}” does.</source>
<translation>„{more}“ macht den Text {factor}-mal so wahrscheinlich wie „{less}“.</translation>
</message>
<message>
<source>“{name}” cannot be read of “{argument}”; write: {usage}.</source>
<translation>„{name}“ lässt sich für „{argument}“ nicht ablesen; richtig ist: {usage}.</translation>
</message>
<message>
<source>“{name}” comes with BERTscope and cannot be deleted.</source>
<translation>„{name}“ gehört zu BERTscope und lässt sich nicht löschen.</translation>
</message>
<message>
<source>“{name}” could not be exported to {file}: {why}.</source>
<translation>„{name}“ konnte nicht nach {file} exportiert werden: {why}.</translation>
</message>
<message>
<source>“{name}” could not be moved to the bin; delete the folder {folder} yourself.</source>
<translation>„{name}“ konnte nicht in den Papierkorb verschoben werden; der Ordner {folder} lässt sich von Hand löschen.</translation>
</message>
<message>
<source>“{name}” is given twice.</source>
<translation>„{name}“ ist zweimal angegeben.</translation>
</message>
<message>
<source>“{name}” is in another room than the page, which shows {room}.</source>
<translation>„{name}“ ist in einem anderen Raum als die Seite, die {room} zeigt.</translation>
</message>
<message>
<source>“{name}” is in the bin.</source>
<translation>„{name}“ ist im Papierkorb.</translation>
</message>
<message>
<source>“{name}” is not known here; write one of {known}.</source>
<translation>„{name}“ ist hier nicht bekannt; möglich sind: {known}.</translation>
</message>
<message>
<source>“{name}” is only a link to {folder}. Delete that folder yourself.</source>
<translation>„{name}“ ist nur eine Verknüpfung mit {folder}. Diesen Ordner von Hand löschen.</translation>
</message>
<message>
<source>“{name}” is still running. Stop it first, then delete it.</source>
<translation>„{name}“ läuft noch. Erst anhalten, dann löschen.</translation>
</message>
<message>
<source>“{name}” needs a line of text.</source>
<translation>„{name}“ braucht eine Zeile Text.</translation>
</message>
<message>
<source>“{prediction}”</source>
<translation>„{prediction}“</translation>
</message>
<message>
<source>“{text}” at {position}</source>
<translation>„{text}“ an Stelle {position}</translation>
</message>
<message>
<source>“{text}” has no value on this page.</source>
<translation>„{text}“ hat auf dieser Seite keinen Wert.</translation>
</message>
<message>
<source>“{text}” has no value on this page: its text has no word “{word}”.</source>
<translation>„{text}“ hat auf dieser Seite keinen Wert: In ihrem Text gibt es kein Wort „{word}“.</translation>
</message>
<message>
<source>“{text}” is no condition; write MEASURE, one of {operators}, and a value.</source>
<translation>„{text}“ ist keine Bedingung; richtig ist MESSWERT, eines von {operators} und ein Wert.</translation>
</message>
<message>
<source>“{text}” is no head; write 2.3, best KIND or least KIND. Kinds: {kinds}.</source>
<translation>„{text}“ ist kein Kopf; richtig ist 2.3, best ART oder least ART. Arten: {kinds}.</translation>
</message>
<message>
<source>“{text}” is no word; write cat, b:cat or cat#2.</source>
<translation>„{text}“ ist kein Wort; richtig ist cat, b:cat oder cat#2.</translation>
</message>
<message>
<source>“{text}” is none of the pairs that ship.</source>
<translation>„{text}“ ist keines der mitgelieferten Paare.</translation>
</message>
<message>
<source>“{text}” is not a whole number from 1 to {most}.</source>
<translation>„{text}“ ist keine ganze Zahl von 1 bis {most}.</translation>
</message>
<message>
<source>“{text}” is not known here; use one of {known}.</source>
<translation>„{text}“ ist hier nicht bekannt; möglich sind: {known}.</translation>
</message>
<message>
<source>“{token}” ({position})</source>
<translation>„{token}“ ({position})</translation>
</message>
<message>
<source>“{token}” after layer {layer}</source>
<translation>„{token}“ nach Schicht {layer}</translation>
</message>
<message>
<source>“{token}” at position {position}</source>
<translation>„{token}“ an Position {position}</translation>
</message>
<message>
<source>“{token}” at the embeddings</source>
<translation>„{token}“ bei den Embeddings</translation>
</message>
<message>
<source>“{token}” before the first layer</source>
<translation>„{token}“ vor der ersten Schicht</translation>
</message>
<message>
<source>“{token}” comes in from {source}: {size} numbers, its hidden state.</source>
<translation>„{token}“ kommt aus {source}: {size} Zahlen, sein Hidden State.</translation>
</message>
<message>
<source>“{token}” has no counterpart in {baseline}.</source>
<translation>„{token}“ hat in {baseline} kein Gegenstück.</translation>
</message>
<message>
<source>“{token}” looks most at “{other}”: {share}.</source>
<translation>„{token}“ schaut am meisten auf „{other}“: {share}.</translation>
</message>
<message>
<source>“{token}” takes over the values of all tokens, each multiplied by its share: {weight} of “{best}”.</source>
<translation>„{token}“ übernimmt die Values aller Tokens, jeden mal seinem Anteil: {weight} von „{best}“.</translation>
</message>
<message>
<source>“{value}” is not a number.</source>
<translation>„{value}“ ist keine Zahl.</translation>
</message>
<message>
<source>“{words}”</source>
<translation>„{words}“</translation>
</message>
<message>
<source>“{word}”</source>
<translation>„{word}“</translation>
</message>
<message>
<source>“{word}” at {mask}</source>
<translation>„{word}“ bei {mask}</translation>
</message>
<message>
<source>“{word}” does not stand in this collection. {where}, these are nearest: {others}.</source>
<translation>„{word}“ kommt in dieser Sammlung nicht vor. {where} am nächsten: {others}.</translation>
</message>
<message>
<source>“{word}” in: {sentences}</source>
<translation>„{word}“ in: {sentences}</translation>
</message>
<message>
<source>“{word}” is compared with itself; type another word.</source>
<translation>„{word}“ wird mit sich selbst verglichen; ein anderes Wort eintippen.</translation>
</message>
<message>
<source>“{word}” is most likely after {stage}; its final probability is {share}.</source>
<translation>„{word}“ ist nach {stage} am wahrscheinlichsten; am Ende ist seine Wahrscheinlichkeit {share}.</translation>
</message>
<message>
<source>“{word}” is not in this model’s vocabulary: hide another word.</source>
<translation>„{word}“ steht nicht im Vokabular dieses Modells: ein anderes Wort verdecken.</translation>
</message>
<message>
<source>“{word}” is {count} pieces in this vocabulary ({pieces}); type a word that is one.</source>
<translation>„{word}“ besteht in diesem Vokabular aus {count} Stücken ({pieces}); ein Wort eintippen, das nur eines ist.</translation>
</message>
<message>
<source>“{word}” is {factor} times as likely with “{more}” as with “{less}”.</source>
<translation>„{word}“ ist mit „{more}“ {factor}-mal so wahrscheinlich wie mit „{less}“.</translation>
</message>
<message>
<source>“{word}” leads from layer {layer} ({at_first}) to the last ({share}); just before, the guess is “{before}”.</source>
<translation>„{word}“ führt von Schicht {layer} ({at_first}) bis zur letzten ({share}); kurz davor ist der Tipp „{before}“.</translation>
</message>
<message>
<source>“{word}” leads from the embeddings to the last layer ({share}).</source>
<translation>„{word}“ führt von den Embeddings bis zur letzten Schicht ({share}).</translation>
</message>
<message>
<source>“{word}” leads {where}, but not at the end: its final probability is {share}, rank {rank}.</source>
<translation>„{word}“ führt {where}, aber nicht am Ende: Wahrscheinlichkeit {share}, Rang {rank}.</translation>
</message>
<message>
<source>“{word}” leads {where}, “{other}” overtakes it in layer {lost}, and “{word}” leads again from layer {layer} to the last ({share}).</source>
<translation>„{word}“ führt {where}, „{other}“ überholt es in Schicht {lost}, und von Schicht {layer} bis zur letzten ({share}) führt wieder „{word}“.</translation>
</message>
<message>
<source>“{word}” leads {where}, “{other}” overtakes it in layer {lost}, and “{word}” wins in layer {layer}, the last ({share}).</source>
<translation>„{word}“ führt {where}, „{other}“ überholt es in Schicht {lost}, und in Schicht {layer}, der letzten, gewinnt „{word}“ ({share}).</translation>
</message>
<message>
<source>“{word}” never ranks first; its best rank is {best}, after {stage}. Its final probability is {share}, rank {rank}.</source>
<translation>„{word}“ liegt nie vorn; sein bester Rang ist {best}, nach {stage}. Am Ende: Wahrscheinlichkeit {share}, Rang {rank}.</translation>
</message>
<message>
<source>“{word}” rather than “{other}”</source>
<translation>„{word}“ statt „{other}“</translation>
</message>
<message>
<source>“{word}” rather than “{other}” at position {position}</source>
<translation>„{word}“ statt „{other}“ an Position {position}</translation>
</message>
<message>
<source>“{word}” wins only in the last layer ({share}); {until}, the guess is still “{before}”.</source>
<translation>„{word}“ gewinnt erst in der letzten Schicht ({share}); {until} ist der Tipp noch „{before}“.</translation>
</message>
<message>
<source>“{word}” wins only in the last layer ({share}); {until}, the guess is “{before}”.</source>
<translation>„{word}“ gewinnt erst in der letzten Schicht ({share}); {until} ist der Tipp „{before}“.</translation>
</message>
<message>
<source>“{word}” → “{instead}” changes the answer to “{answer}”: {text}</source>
<translation>„{word}“ → „{instead}“ ändert die Antwort zu „{answer}“: {text}</translation>
</message>
<message>
<source>“{word}”: is the whole word in the vocabulary?</source>
<translation>„{word}“: Steht das ganze Wort im Vokabular?</translation>
</message>
<message>
<source>← →: pages</source>
<translation>← →: Seiten</translation>
</message>
<message>
<source>∂ ln p / ∂ weight</source>
<translation>∂ ln p / ∂ Gewicht</translation>
</message>
<message>
<source>−log₂ p</source>
<translation>−log₂ p</translation>
</message>
<message>
<source>−mean ln p(right answer)</source>
<translation>−Mittel von ln p(richtige Antwort)</translation>
</message>
<message>
<source>√ Σ p² · p · x / |x|²</source>
<translation>√ Σ p² · p · x / |x|²</translation>
</message>
<message>
<source>√ Σ x²</source>
<translation>√ Σ x²</translation>
</message>
<message>
<source>≈: the mean of the points around it</source>
<translation>≈: der Mittelwert der Punkte ringsum</translation>
</message>
<message numerus="yes">
<source>⋮ %n more</source>
<translation>
<numerusform>⋮ %n weiteres</numerusform>
<numerusform>⋮ %n weitere</numerusform>
</translation>
</message>
<message>
<source>✓ right by {margin}</source>
<translation>✓ richtig, mit {margin} Vorsprung</translation>
</message>
<message>
<source>✗ wrong by {margin}</source>
<translation>✗ falsch, mit {margin} Rückstand</translation>
</message>
</context>
</TS>
