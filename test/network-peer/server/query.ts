import type { Stanza } from '../stanza.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';

/** `silence`: the network does not respond. */
export type Answer = 'silence' | readonly Stanza[] | { readonly error: number; readonly text: string };

/** Answers a client's query; `asked` is the first child of `iq`. */
export type Query = (exchange: Exchange, linked: Linked, asked: Stanza, iq: Stanza) => Answer;
