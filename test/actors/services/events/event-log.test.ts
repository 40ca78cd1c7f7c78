import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createEventLog } from '../../../../actors/services/events/event-log.ts';
import type { Draft } from '../../../../actors/services/events/types.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { eventInterestsIn } from '../../../../store/events/event-interests.ts';
import { type EventRow, eventsIn } from '../../../../store/events/events.ts';
import type { Store } from '../../../../store/port.ts';
import { wakeupsIn } from '../../../../store/scheduling/wakeups.ts';
import { webhooksIn } from '../../../../store/webhooks/webhooks.ts';
import { eachStore } from '../../../support/stores.ts';

const TENANT = '01J9ZK3V5T8Q4W2N6R7X0Y1ABC';
const MANY = 150;

const drafts: readonly Draft[] = Array.from({ length: MANY }, (_, n) => ({
  session_id: null,
  type: 'message.sent',
  row: `message ${n}`,
  occurred_at: n,
  data: {},
}));

eachStore('events that do not fit in one write', (kind) => {
  it('reach listeners completely and in order', async (t) => {
    const store = await kind.fresh(t);
    const log = aLog(store);
    await store.prepare();
    const heard: EventRow[] = [];
    log.onNew((events) => heard.push(...events));
    const recorded = await log.toRecord(TENANT, drafts);
    const issue = () => recorded!.writes.map((write) => write());
    await Promise.all(store.together?.(issue) ?? issue());
    recorded!.stored();
    assert.deepEqual(
      heard.map(({ row }) => row),
      drafts.map(({ row }) => row),
    );
  });
});

function aLog(store: Store) {
  const clock = new VirtualClock();
  return createEventLog({
    events: eventsIn(store),
    webhooks: webhooksIn(store),
    interests: eventInterestsIn(store),
    wakeups: wakeupsIn(store),
    clock,
    keptMs: 86_400_000,
    hint: () => {},
  });
}
