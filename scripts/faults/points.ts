import { keysOf } from '../../runtime/keys-of.ts';

/** `most` is the highest pass to use, because some points are passed only once for many messages. */
interface PointFacts {
  readonly about: string;
  readonly most: number;
  /** True if armed at the start, because the point is passed only when work is taken over. */
  readonly atStart?: true;
}

const POINTS = {
  'before-accept': { about: 'a message is about to be inserted', most: 15 },
  'after-accept': { about: 'it is durable, its caller has received nothing', most: 15 },
  'before-answer': { about: 'the 202 is about to leave', most: 15 },
  'after-answer': { about: 'the 202 has left', most: 15 },
  'before-claim': { about: 'rows are about to become "sending"', most: 3 },
  'after-claim': { about: 'they are, and nothing has been written to the network', most: 3 },
  'before-send': { about: 'a message is about to be written to the network', most: 15 },
  'after-send': { about: 'it has left, no ack has come', most: 15 },
  'on-ack': { about: 'its ack has come, the device has not learned of it', most: 15 },
  'before-mark': { about: 'the device is about to mark it sent', most: 3 },
  'after-mark': { about: 'it is marked', most: 3 },
  'before-receipt': { about: 'a receipt is about to be stored', most: 3 },
  'after-receipt': { about: 'it is stored', most: 3 },
  'before-retake': { about: 'rows left on the wire are about to be taken over', most: 1, atStart: true },
  'after-retake': { about: 'they are, and have not been sent again', most: 1, atStart: true },
  'before-inbound': { about: 'an inbound message is about to be stored', most: 5 },
  'after-inbound': { about: 'it is stored, the network has not been told', most: 5 },
  'after-acknowledge': { about: 'the network has been told', most: 5 },
} as const satisfies Record<string, PointFacts>;

export type Point = keyof typeof POINTS;

export const ALL_POINTS: readonly Point[] = keysOf(POINTS);

/** At these points, only the network id prevents a duplicate. */
export const BETWEEN_SEND_AND_MARK = ['after-send', 'on-ack', 'before-mark'] as const satisfies readonly Point[];

export const factsOf = (point: Point): PointFacts => POINTS[point];

export const isPoint = (text: string): text is Point => Object.hasOwn(POINTS, text);
