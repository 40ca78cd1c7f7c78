import type { ActPorts } from '../actors/device/act-hands.ts';
import { createPeople, type PeoplePorts } from '../actors/people/people.ts';
import { ownActsIn } from '../store/acts.ts';
import { chatMovesIn } from '../store/chat-moves.ts';
import type { Store } from '../store/collection.ts';
import { identitiesIn } from '../store/identities.ts';
import { messageActsIn } from '../store/message-acts.ts';
import { votesIn } from '../store/votes.ts';

/** Who is who, and what is done to messages after they were sent. */
export type PeopleWorld = Pick<ActPorts, 'ownActs' | 'acts' | 'votes' | 'people'>;

export function startPeople(store: Store, ports: Omit<PeoplePorts, 'identities' | 'moves'>): PeopleWorld {
  return {
    ownActs: ownActsIn(store),
    acts: messageActsIn(store),
    votes: votesIn(store),
    people: createPeople({ ...ports, identities: identitiesIn(store), moves: chatMovesIn(store) }),
  };
}
