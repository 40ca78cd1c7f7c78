import type { MessageRow } from '../store/messages.ts';
import type { VoteRow, Votes } from '../store/votes.ts';
import type { People } from './people/people.ts';
import { refusal } from './refusals.ts';

export interface PollPorts {
  readonly votes: Pick<Votes, 'of'>;
  readonly people: Pick<People, 'canonical'>;
}

export interface Tally {
  readonly name: string;
  readonly voters: readonly VoteRow[];
}

/** Who chose what in a poll: one vote a person, whichever of their addresses it came from. Refuses CONFLICT where the message is no poll. */
export async function countVotes({ votes, people }: PollPorts, poll: MessageRow): Promise<readonly Tally[]> {
  if (!poll.parts.poll) throw refusal('CONFLICT', { reason: { en: 'it is no poll', id: 'ini bukan polling' } });
  const latest = new Map<string, VoteRow>();
  for (const vote of await votes.of(poll.session_id, poll.net_id)) {
    const voter = await people.canonical(poll.tenant_id, vote.voter);
    const known = latest.get(voter);
    if (!known || vote.at >= known.at) latest.set(voter, { ...vote, voter });
  }
  const cast = [...latest.values()];
  return poll.parts.poll.choices.map((name) => ({ name, voters: cast.filter(({ choices }) => choices.includes(name)) }));
}
