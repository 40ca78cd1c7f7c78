import type { IncomingMessage } from 'node:http';
import type { Remembered } from '../core/engine.ts';

const handed = new WeakMap<IncomingMessage, Partial<Remembered>>();

/** The data and outcome of a request that was served so far without hapi and is now passed to it. */
export const handedOver = (req: IncomingMessage): Partial<Remembered> | undefined => handed.get(req);

export const handOver = (req: IncomingMessage, known: Partial<Remembered>): unknown => handed.set(req, known);
