import assert from 'node:assert/strict';
import { it } from 'node:test';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA } from '../../../support/gateway.ts';
import { answerLost } from '../../../support/lost-answer.ts';
import { eachStore } from '../../../support/stores.ts';
import { listen } from '../live/listener.ts';
import { PNG, upload } from '../media/files.ts';
import { aSchedulingFixture, crashed, optOut, repeatedMeanwhile, type SchedulingFixture, textsOn } from './scheduling-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BEN = '6281211110002';
const CAROL = '6281211110003';
const DORA = '6281211110004';

const daily = {
  name: 'Offer',
  targets: [`+${ANNA}`, BEN],
  message: 'Today only',
  schedule_type: 'daily',
  schedule_config: { hour: 8, minute: 30 },
};
const create = ({ api, device }: SchedulingFixture, body: object) => api('POST', `${device.path}/recurring`, body);
/** Nobody stays signed in for days: time passes in leaps. */
async function leapTo({ gateway: { clock } }: SchedulingFixture, at: number): Promise<void> {
  clock.jump(at - MINUTE - clock.now());
  await clock.advance(2 * MINUTE);
}
const read = async (fixture: SchedulingFixture, id: string) =>
  (await fixture.gateway.store.collection({ name: 'recurring', indexes: [] }).findOne({ _id: id })) as unknown as {
    next_run_at: number;
    run: null;
  };

eachStore('a recurring message', (kind) => {
  it("is sent to all targets every day at its local time, in the business's time zone", async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { status, body: made } = await create(fixture, daily);
    assert.equal(status, 201);
    assert.deepEqual(made.targets, [`${ANNA}@s.whatsapp.net`, `${BEN}@s.whatsapp.net`]);
    assert.deepEqual([made.timezone, made.is_active, made.last_run_at], ['Asia/Jakarta', true, null]);
    // The story begins at 07:00 in Jakarta on 1 January 2026.
    assert.equal(made.next_run_at, Date.UTC(2026, 0, 1, 1, 30));
    for (const day of [0, 1, 2]) {
      await leapTo(fixture, made.next_run_at + day * DAY);
      assert.equal((await read(fixture, made.id)).next_run_at, made.next_run_at + (day + 1) * DAY);
      for (const phone of [ANNA, BEN]) assert.equal(textsOn(fixture.gateway, phone).length, day + 1);
    }
  });

  it('keeps all changes if several are made concurrently', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, acme, api, device } = fixture;
    const path = `${device.path}/recurring/${(await create(fixture, daily)).body.id}`;
    const { key } = (await upload(gateway, acme, PNG)).body;
    const changes = [{ media_r2_key: key }, { message: 'Tomorrow, too' }, { name: 'Offers' }].map((patch) => api('PATCH', path, patch));
    for (const { status, body } of await Promise.all(changes)) assert.equal(status, 200, JSON.stringify(body));
    const { media_r2_key, message, name } = (await api('GET', path)).body;
    assert.deepEqual([media_r2_key, message, name], [key, 'Tomorrow, too', 'Offers']);
  });

  it('skips opted-out people, and shows on the stream how many messages were sent', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, acme, api, device } = fixture;
    const { id, next_run_at } = (await create(fixture, { ...daily, targets: [ANNA, BEN, CAROL, DORA] })).body;
    await optOut(gateway, acme.id, BEN);
    gateway.sandbox.phone(DORA).set({ onNetwork: false });
    await api('POST', `${device.path}/disconnect`);
    const stream = await listen(gateway.node.url, api);
    await leapTo(fixture, next_run_at);
    const told = () => stream.events.filter(({ event }) => event === 'recurring.executed');
    const waiting = async () => (await Array.fromAsync(messagesIn(gateway.store).waiting(acme.id, device.id, null, 10))).length;
    await gateway.until('its messages wait', async () => (await waiting()) === 3);
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(told(), [], 'nothing was sent yet');
    await api('POST', `${device.path}/connect`);
    await gateway.until('it is told', () => told().length > 0);
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(
      told().map(({ data }) => data.data),
      [{ recurring_id: id, sent: 2, failed: 1, next_run_at: next_run_at + DAY }],
    );
    assert.deepEqual(
      [ANNA, BEN, CAROL].map((phone) => textsOn(gateway, phone).length),
      [1, 0, 1],
    );
  });

  it('is sent once after downtime, no matter how often it was due', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { body: made } = await create(fixture, daily);
    fixture.gateway.clock.jump(5 * DAY);
    const again = await crashed(fixture);
    await again.gateway.until('it is sent', () => textsOn(again.gateway, ANNA).length > 0);
    await again.gateway.clock.advance(5 * MINUTE);
    assert.equal(textsOn(again.gateway, ANNA).length, 1);
    assert.equal((await read(again, made.id)).next_run_at, made.next_run_at + 5 * DAY);
  });

  it('can be paused, changed, run manually and deleted', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const { body: made } = await create(fixture, daily);
    const path = `${device.path}/recurring/${made.id}`;
    const paused = await api('PATCH', path, { is_active: false });
    assert.deepEqual([paused.status, paused.body.next_run_at], [200, null]);
    await leapTo(fixture, made.next_run_at);
    assert.deepEqual(textsOn(gateway, ANNA), []);
    assert.equal((await api('POST', `${path}/run`)).status, 202);
    await gateway.until('it is sent', () => textsOn(gateway, BEN).length === 1);
    const weekly = (await api('PATCH', path, { schedule_type: 'weekly', schedule_config: { day: 0 }, is_active: true })).body;
    assert.deepEqual([weekly.schedule_config, weekly.message], [{ hour: 8, minute: 30, day: 0 }, 'Today only']);
    assert.equal(weekly.next_run_at, Date.UTC(2026, 0, 4, 1, 30));
    const page = (await api('GET', `${device.path}/recurring?limit=1`)).body;
    assert.deepEqual([page.recurring.length, page.next_before, page.next_before_id], [1, null, null]);
    assert.deepEqual((await api('DELETE', path)).body, { ok: true });
    assert.equal((await api('GET', path)).status, 404);
    await leapTo(fixture, weekly.next_run_at);
    assert.equal(textsOn(gateway, ANNA).length, 1);
  });

  it('keeps its interval if only its text changes, and restarts the interval if its schedule changes', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const schedule = { schedule_type: 'interval', schedule_config: { hour: 8, minute: 30, every_days: 14 }, timezone: 'Asia/Jakarta' };
    const { body: made } = await create(fixture, { ...daily, ...schedule });
    const path = `${device.path}/recurring/${made.id}`;
    const rows = gateway.store.collection<{ readonly _id: string; readonly since: number }>({ name: 'recurring', indexes: [] });
    await rows.updateOne({ _id: made.id }, { $set: { since: made.created_at - 3 * DAY } });
    const inStep = made.next_run_at + 11 * DAY;
    const reworded = (await api('PATCH', path, { message: 'Today and tomorrow', ...schedule })).body;
    assert.deepEqual([reworded.message, reworded.next_run_at], ['Today and tomorrow', inStep]);
    assert.equal((await api('PATCH', path, { schedule_config: { every_days: 14 } })).body.next_run_at, inStep);
    const another = (await api('PATCH', path, { schedule_config: { minute: 45 } })).body;
    assert.equal(another.next_run_at, made.next_run_at + 15 * MINUTE);
  });

  it('is sent when it is due, even if it was changed just before', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, api, device } = fixture;
    const { body: made } = await create(fixture, daily);
    const path = `${device.path}/recurring/${made.id}`;
    gateway.clock.jump(made.next_run_at + 1 - gateway.clock.now());
    assert.equal((await api('PATCH', path, { name: 'Renamed' })).status, 200);
    await gateway.clock.advance(2 * MINUTE);
    assert.equal(textsOn(gateway, ANNA).length, 1);
  });

  it('runs manually only once per Idempotency-Key, even if the first response was lost', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { gateway, acme, api, device } = fixture;
    const { body: made } = await create(fixture, daily);
    const path = `${device.path}/recurring/${made.id}`;
    const byHand = () => api('POST', `${path}/run`, undefined, { 'idempotency-key': 'k' });
    assert.equal((await byHand()).status, 202);
    await gateway.until('it is sent', () => textsOn(gateway, ANNA).length === 1);
    await leapTo(fixture, made.next_run_at);
    assert.equal(textsOn(gateway, ANNA).length, 2);
    await answerLost(gateway.store, acme.id, 'k');
    assert.equal((await byHand()).status, 202);
    await gateway.clock.advance(MINUTE);
    assert.equal(textsOn(gateway, ANNA).length, 2);
  });

  it("uses the business's time zone again once its own has been cleared", async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { api, device } = fixture;
    const { body: made } = await create(fixture, { ...daily, timezone: 'Asia/Jayapura' });
    const changed = (await api('PATCH', `${device.path}/recurring/${made.id}`, { timezone: null })).body;
    assert.deepEqual([changed.timezone, changed.next_run_at], ['Asia/Jakarta', Date.UTC(2026, 0, 1, 1, 30)]);
    assert.equal((await create(fixture, { ...daily, timezone: null })).body.timezone, 'Asia/Jakarta');
  });

  it('is created only once per Idempotency-Key, even if a second call overtakes the first', async (t) => {
    const { fixture, answers } = await repeatedMeanwhile(t, kind, { name: 'recurring', reading: 'countDocuments' }, async (own) => {
      return () => own.api('POST', `${own.device.path}/recurring`, daily, { 'idempotency-key': 'offer-1' });
    });
    for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body));
    const { recurring } = (await fixture.api('GET', `${fixture.device.path}/recurring`)).body;
    assert.deepEqual(
      [...recurring, ...recurring],
      answers.map(({ body }) => body),
    );
  });

  it('is created only once per Idempotency-Key', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { api, device } = fixture;
    const path = `${device.path}/recurring`;
    const key = { 'idempotency-key': 'offer-1' };
    const made = await api('POST', path, daily, key);
    assert.deepEqual(await api('POST', path, daily, key).then(({ status, body }) => [status, body]), [201, made.body]);
    assert.equal((await api('POST', path, { ...daily, name: 'Another' }, key)).body.code, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await api('GET', path)).body.recurring.length, 1);
  });

  it('is rejected if any target is invalid, and the error names all invalid ones', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const { status, body } = await create(fixture, { ...daily, targets: [ANNA, '12', 'nobody@example.com'] });
    assert.deepEqual([status, body.code], [400, 'INVALID_TARGETS']);
    assert.match(body.error, /12, nobody@example\.com/);
    assert.deepEqual((await fixture.api('GET', `${fixture.device.path}/recurring`)).body.recurring, []);
  });

  it('is rejected if it has no content or an invalid day', async (t) => {
    const fixture = await aSchedulingFixture(t, kind);
    const wrong = [
      { message: undefined },
      { schedule_type: 'weekly', schedule_config: { day: 7 } },
      { schedule_type: 'monthly', schedule_config: { day: 0 } },
      { timezone: 'Mars/Olympus' },
    ];
    for (const part of wrong) assert.equal((await create(fixture, { ...daily, ...part })).body.code, 'VALIDATION_FAILED');
    const { body } = await create(fixture, { ...daily, ...wrong[0], ...wrong[1], name: '' });
    const paths = body.details.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, ['name', 'schedule_config.day', 'message'], 'every fault at once');
  });
});
