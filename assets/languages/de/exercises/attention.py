"""Schreib es selbst: von den Nummern der Token zur Attention.

Vier Funktionen haben eine Lücke: Nimm `raise NotImplementedError` heraus und schreibe, was fehlt. NumPy genügt.
So wird die Datei an den Zahlen des mitgelieferten Modells geprüft:

    bertscope lesson --language de check attention.py

S: Token des Textes, H: Zahlen eines Hidden State, D: Zahlen eines Kopfes, V: Einträge des Vokabulars.
"""

import numpy as np


def layer_norm(x, weight, bias):
    """Jede Zeile auf Mittelwert 0 und Varianz 1 bringen, dann strecken und verschieben.

    x: (S,H), eine Zeile je Token; weight, bias: (H). Ergebnis: (S,H).
    Zur Varianz kommt 1e-12 hinzu, damit nie durch 0 geteilt wird.
    """
    raise NotImplementedError


def embed(token_ids, segment_ids, token_table, segment_table, position_table, weight, bias):
    """Was ins Modell hineingeht: Token + Segment + Position, dann LayerNorm.

    token_ids, segment_ids: (S), ganze Zahlen. token_table: (V,H), eine Zeile je Eintrag des Vokabulars;
    segment_table: (2,H); position_table: (512,H), Zeile 0 für das erste Token. weight, bias: (H), der LayerNorm.
    Ergebnis: (S,H). Dein `layer_norm` darf benutzt werden.
    """
    raise NotImplementedError


def attention_weights(query, key, allowed):
    """Wie sehr jedes Token in einem Kopf auf jedes andere schaut.

    query, key: (S,D). allowed: (S), True für Token und False für Padding, auf das niemand schauen darf.
    Ergebnis: (S,S): Die Zeile ist das Token, das schaut, die Spalte das, worauf es schaut. Jede Zeile ergibt 1.
    """
    raise NotImplementedError


def attend(weights, value):
    """Was jedes Token mitnimmt: die Values aller Token, gemischt nach seinen Gewichten.

    weights: (S,S), wie `attention_weights` sie liefert; value: (S,D). Ergebnis: (S,D).
    """
    raise NotImplementedError
