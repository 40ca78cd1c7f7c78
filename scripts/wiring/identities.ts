import type { MessageActionDeps } from '../../actors/device/effects/message-action-effects.ts';
import { addressOf } from '../../actors/network/subject.ts';
import { createIdentityResolver, type IdentityResolverDeps } from '../../actors/services/identities/identities.ts';
import { createNumberReader, type NumberReader } from '../../actors/services/identities/number-reader.ts';
import { createPersonReader, type PersonReader } from '../../actors/services/identities/person-reader.ts';
import { contactsIn } from '../../store/contacts/contacts.ts';
import { chatMovesIn } from '../../store/conversations/chat-merges.ts';
import { type Identities, identitiesIn } from '../../store/identities/identities.ts';
import { type KnownNumbers, knownNumbersIn } from '../../store/identities/known-numbers.ts';
import { messageActionsIn } from '../../store/messaging/message-actions.ts';
import { pollVotesIn } from '../../store/messaging/poll-votes.ts';
import { receivedActionsIn } from '../../store/messaging/received-actions.ts';
import type { Store } from '../../store/port.ts';

export interface IdentityServices extends Pick<MessageActionDeps, 'messageActions' | 'receivedActions' | 'votes' | 'people'> {
  readonly identities: Identities;
  readonly numbers: NumberReader;
  readonly known: KnownNumbers;
  readonly personReader: PersonReader;
}

export function startIdentities(store: Store, deps: Omit<IdentityResolverDeps, 'identities' | 'moves'>): IdentityServices {
  const identities = identitiesIn(store);
  const people = createIdentityResolver({ ...deps, identities, moves: chatMovesIn(store) });
  const known = knownNumbersIn(store, addressOf);
  const numbers = createNumberReader(known);
  return {
    identities,
    messageActions: messageActionsIn(store),
    receivedActions: receivedActionsIn(store),
    votes: pollVotesIn(store),
    people,
    numbers,
    known,
    personReader: createPersonReader({ numbers, people, contacts: contactsIn(store) }),
  };
}
