import type { IncomingMessage } from 'node:http';
import type { Remembered } from '../core/engine.ts';

const handed = new WeakMap<IncomingMessage, Partial<Remembered>>();

export const handedOver = (req: IncomingMessage): Partial<Remembered> | undefined => handed.get(req);

export const handOver = (req: IncomingMessage, known: Partial<Remembered>): unknown => handed.set(req, known);
