import { keysOf } from '../../runtime/keys-of.ts';

/**
 * `most` is the highest occurrence at which to kill. It is low for points that are passed once for
 * many messages.
 */
interface PointFacts {
  readonly about: string;
  readonly most: number;
  /** True if armed at the start, because the point is passed only when work is taken over. */
  readonly atStart?: true;
}

const POINTS = {
  'before-accept': { about: 'a message is about to be stored', most: 15 },
  'after-accept': { about: 'the message is stored, but its caller has no response yet', most: 15 },
  'before-answer': { about: 'the 202 is about to be sent', most: 15 },
  'after-answer': { about: 'the 202 has been sent', most: 15 },
  'before-claim': { about: 'rows are about to be marked "sending"', most: 3 },
  'after-claim': { about: 'the rows are marked "sending", but nothing has been sent yet', most: 3 },
  'before-send': { about: 'a message is about to be sent to the network', most: 15 },
  'after-send': { about: 'the message has been sent, but not acknowledged', most: 15 },
  'on-ack': { about: 'the ack has arrived, but the device has not processed it', most: 15 },
  'before-mark': { about: 'the message is about to be marked "sent"', most: 3 },
  'after-mark': { about: 'the message is marked "sent"', most: 3 },
  'before-receipt': { about: 'a receipt is about to be stored', most: 3 },
  'after-receipt': { about: 'the receipt is stored', most: 3 },
  'before-retake': { about: 'unconfirmed rows of an earlier process are about to be taken over', most: 1, atStart: true },
  'after-retake': { about: 'the unconfirmed rows are taken over, but not sent again', most: 1, atStart: true },
  'before-inbound': { about: 'an incoming message is about to be stored', most: 5 },
  'after-inbound': { about: 'the incoming message is stored, but not acknowledged', most: 5 },
  'after-acknowledge': { about: 'the incoming message is acknowledged', most: 5 },
} as const satisfies Record<string, PointFacts>;

export type Point = keyof typeof POINTS;

export const ALL_POINTS: readonly Point[] = keysOf(POINTS);

/** At these points, only the network id prevents a duplicate. */
export const BETWEEN_SEND_AND_MARK = ['after-send', 'on-ack', 'before-mark'] as const satisfies readonly Point[];

export const factsOf = (point: Point): PointFacts => POINTS[point];

export const isPoint = (text: string): text is Point => Object.hasOwn(POINTS, text);
