import type { Stanza } from '../stanza.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';

/** `silence`: the network never answers. */
export type Answer = 'silence' | readonly Stanza[] | { readonly error: number; readonly text: string };

/** Answers one question of a client; `asked` is the first child of `iq`. */
export type Query = (exchange: Exchange, linked: Linked, asked: Stanza, iq: Stanza) => Answer;
