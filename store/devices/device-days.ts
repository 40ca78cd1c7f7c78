import type { Collection, CollectionSpec, Store } from '../port.ts';

interface DayRow {
  readonly _id: string;
  readonly sent: number;
  readonly expires_at: number;
}

export interface DeviceDays {
  sent(sessionId: string, day: string): Promise<number>;
  add(sessionId: string, day: string, count: number, expiresAt: number): Promise<void>;
}

const spec: CollectionSpec = { name: 'device_days', indexes: [], expires: 'expires_at' };

export function deviceDaysIn(store: Store): DeviceDays {
  const days: Collection<DayRow> = store.collection<DayRow>(spec);

  return {
    sent: async (sessionId, day) => (await days.findOne({ _id: `${sessionId}:${day}` }))?.sent ?? 0,
    async add(sessionId, day, count, expires_at) {
      await days.updateOne({ _id: `${sessionId}:${day}` }, { $inc: { sent: count }, $setOnInsert: { expires_at } }, { upsert: true });
    },
  };
}
