import type { Guard } from './guards.ts';
import type { Point } from './points.ts';
import type { Harm } from './verdict.ts';

interface Proof {
  readonly guard: Guard;
  readonly points: readonly Point[];
  readonly shows: readonly Harm[];
}

/** Runs with a disabled guard. Each figure that must be 0 must exceed 0 in at least one of them. */
export const PROOFS: readonly Proof[] = [
  { guard: 'late-messages', points: ['after-answer'], shows: ['lost', 'unmarked'] },
  { guard: 'late-messages', points: ['after-wire-ack', 'received-receipt'], shows: ['inboundLost'] },
  { guard: 'late-secrets', points: ['after-wire-message'], shows: ['violations'] },
  { guard: 'late-secrets', points: ['pre-keys/after-wire-iq-registration'], shows: ['violations'] },
  { guard: 'late-secrets', points: ['linking/after-wire-iq-pair-device-sign'], shows: ['linksLost'] },
  { guard: 'late-consents', points: ['after-settle'], shows: ['optOutsLost'] },
  { guard: 'fresh-ids', points: ['received-ack'], shows: ['doubled'] },
  { guard: 'fresh-inbound', points: ['after-inbound'], shows: ['inboundDoubled'] },
  { guard: 'fresh-ids', points: ['after-wire-iq-tokens'], shows: ['confirmedTwice'] },
  { guard: 'late-events', points: ['features/after-wire-ack'], shows: ['inboundLost'] },
  { guard: 'fresh-facts', points: ['features/after-events.insertMany'], shows: ['inboundDoubled'] },
  { guard: 'late-events', points: ['groups/after-wire-ack'], shows: ['inboundLost'] },
  { guard: 'fresh-facts', points: ['groups/after-events.insertMany'], shows: ['inboundDoubled'] },
  { guard: 'late-keys', points: ['groups/after-wire-iq-create'], shows: ['doubled'] },
  { guard: 'late-intents', points: ['features/after-channels.insertOne'], shows: ['doubled'] },
];
