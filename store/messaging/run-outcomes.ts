import type { Collection, Filter, IndexSpec } from '../port.ts';
import type { MessageRow } from './message-row.ts';

export interface RunOutcome {
  readonly sent: number;
  readonly failed: number;
}

export interface RunOutcomes {
  isRunOver(run: string): Promise<boolean>;
  runOutcome(run: string): Promise<RunOutcome>;
}

export const runIndex: IndexSpec = { name: 'of_run', keys: { 'origin.run': 1, status: 1 }, where: { 'origin.run': { $gte: '' } } };

const of = (run: string): Filter => ({ 'origin.run': { $gte: '', $eq: run } });
const WAITING: Filter = { status: { $in: ['queued', 'sending'] } };
const OUTCOME = { status: 1, sent_at: 1, delivered_at: 1, read_at: 1 } as const;

export function runOutcomesIn(messages: Collection<MessageRow>): RunOutcomes {
  return {
    isRunOver: async (run) => (await messages.findOne({ ...of(run), ...WAITING }, { projection: { _id: 1 } })) === null,

    async runOutcome(run) {
      const rows = await messages.find(of(run), { projection: OUTCOME }).toArray();
      const over = rows.filter(({ status }) => status !== 'queued' && status !== 'sending');
      const sent = over.filter(wasSent).length;
      return { sent, failed: over.length - sent };
    },
  };
}

const wasSent = ({ status, sent_at, delivered_at, read_at }: MessageRow): boolean =>
  status !== 'failed' && status !== 'cancelled' && (sent_at ?? delivered_at ?? read_at) !== null;
