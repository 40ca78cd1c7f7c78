import { inChunks } from '../../../runtime/in-chunks.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { PollVotes } from '../../../store/messaging/poll-votes.ts';
import type { VanishingMessages } from '../../../store/messaging/vanishing.ts';
import type { Holds } from '../../../store/privacy/holds.ts';
import type { Retention } from '../../../store/privacy/retention.ts';
import type { FormsOf } from '../identities/forms.ts';
import { type HeldPeople, heldPeople } from './retention/slices.ts';

export interface VanishingDeps {
  readonly vanishing: VanishingMessages;
  readonly retention: Pick<Retention, 'find'>;
  readonly holds: Pick<Holds, 'held' | 'ofTenant'>;
  readonly formsOf: FormsOf;
  readonly votes: Pick<PollVotes, 'forget'>;
  hashOf(tenantId: string, phone: string): string;
  hintDevice(row: { readonly tenant_id: string; readonly _id: string }): void;
}

const BATCH = 500;
const MAX_BATCHES = 20;
const HELD_MS = 3_600_000;
const KEPT_MS = 86_400_000;
const VANISH_TOGETHER = 100;

export function createVanishing(deps: VanishingDeps): (now: number) => Promise<void> {
  const { vanishing, retention, holds, votes } = deps;

  async function ofTenant(tenantId: string, rows: readonly MessageRow[], now: number): Promise<void> {
    const ids = rows.map(({ _id }) => _id);
    if ((await retention.find(tenantId))?.keep_disappearing === true) return vanishing.postpone(ids, now + KEPT_MS);
    if (await holds.ofTenant(tenantId, now)) return vanishing.postpone(ids, now + HELD_MS);
    const held = await heldAmong(heldPeople(deps, tenantId, await holds.held(tenantId, now)), rows);
    if (held.length > 0)
      await vanishing.postpone(
        held.map(({ _id }) => _id),
        now + HELD_MS,
      );
    for (const some of inChunks(
      rows.filter((row) => !held.includes(row)),
      VANISH_TOGETHER,
    ))
      await vanish(some, now);
  }

  async function vanish(rows: readonly MessageRow[], now: number): Promise<void> {
    for (const { session_id, net_id, message_type } of rows) if (message_type === 'poll') await votes.forget(session_id, net_id);
    await vanishing.vanish(
      rows.map(({ _id }) => _id),
      now,
    );
    for (const { tenant_id, session_id: _id } of new Map(rows.map((row) => [row.session_id, row])).values())
      deps.hintDevice({ tenant_id, _id });
  }

  return async (now) => {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const rows = await vanishing.due(now, BATCH);
      for (const [tenantId, own] of Map.groupBy(rows, ({ tenant_id }) => tenant_id)) await ofTenant(tenantId, own, now);
      if (rows.length < BATCH) return;
    }
  };
}

async function heldAmong(people: HeldPeople, rows: readonly MessageRow[]): Promise<readonly MessageRow[]> {
  if (people.isEmpty) return [];
  const addressesOf = ({ chat_id, sender, sender_lid }: MessageRow): readonly string[] =>
    [chat_id, sender, sender_lid].flatMap((one) => one ?? []);
  const held = await people.among([...new Set(rows.flatMap(addressesOf))]);
  return rows.filter((row) => addressesOf(row).some((address) => held.has(address)));
}
