import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface VoteRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly poll: string;
  readonly voter: string;
  readonly voter_name: string | null;
  /** Empty if the vote was withdrawn. */
  readonly choices: readonly string[];
  readonly net_id: string;
  readonly at: number;
}

export interface PollVotes {
  /** Stores a vote. Only each person's latest vote in a poll counts. */
  cast(vote: VoteRow): Promise<void>;
  of(sessionId: string, poll: string): Promise<VoteRow[]>;
  forget(sessionId: string, poll: string): Promise<void>;
}

const spec: CollectionSpec = { name: 'poll_votes', indexes: [{ name: 'of_poll', keys: { session_id: 1, poll: 1, _id: 1 } }] };

export function pollVotesIn(store: Store): PollVotes {
  const votes: Collection<VoteRow> = store.collection<VoteRow>(spec);

  async function isFirst(vote: VoteRow): Promise<boolean> {
    try {
      await votes.insertOne(vote);
      return true;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return false;
    }
  }

  return {
    async cast(vote) {
      if (await isFirst(vote)) return;
      const { _id, ...cast } = vote;
      await votes.updateOne({ _id, at: { $lte: vote.at }, net_id: { $ne: vote.net_id } }, { $set: cast });
    },

    forget: async (session_id, poll) => void (await votes.deleteMany({ session_id, poll })),

    of: (session_id, poll) => votes.find({ session_id, poll }, { sort: { _id: 1 } }).toArray(),
  };
}
