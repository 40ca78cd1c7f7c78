import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { PollVotes, VoteRow } from '../../../store/messaging/poll-votes.ts';
import { refusal } from '../../domain/refusals.ts';
import type { IdentityResolver } from '../identities/identities.ts';

export interface PollDeps {
  readonly votes: Pick<PollVotes, 'of'>;
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

export interface Tally {
  readonly name: string;
  readonly voters: readonly VoteRow[];
}

export async function countVotes({ votes, people }: PollDeps, poll: MessageRow): Promise<readonly Tally[]> {
  if (!poll.parts.poll) throw refusal('CONFLICT', { reason: { en: 'the message is not a poll', id: 'ini bukan jajak pendapat' } });
  const latest = new Map<string, VoteRow>();
  for (const vote of await votes.of(poll.session_id, poll.net_id)) {
    const voter = await people.resolve(poll.tenant_id, vote.voter);
    const known = latest.get(voter);
    if (!known || vote.at >= known.at) latest.set(voter, { ...vote, voter });
  }
  const cast = [...latest.values()];
  return poll.parts.poll.choices.map((name) => ({ name, voters: cast.filter(({ choices }) => choices.includes(name)) }));
}
