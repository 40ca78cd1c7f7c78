import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aReceiver, SECRET } from '../webhooks/receiver.ts';
import { listen, open, ticketUrl } from './listener.ts';
import { aLiveFixture } from './live-fixture.ts';

const SECOND = '6281100000002';

eachStore('the live stream', (kind) => {
  it("carries a tenant's events in the format of server-sent events", async (t) => {
    const { gateway, device, listen, write } = await aLiveFixture(t, kind);
    const stream = await listen();
    assert.equal(stream.status, 200);
    assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers['cache-control'], 'no-store');
    assert.equal(stream.headers['x-accel-buffering'], 'no');
    assert.match(String(stream.headers['x-request-id']), /^\w{26}$/);

    write('Halo\n\nline two: ✓');
    await gateway.until('the message is received', () => stream.events.length > 0);
    const [{ id, event, data } = { id: '', event: '', data: null }] = stream.events;
    assert.match(id, /^evt_\w{26}$/);
    assert.deepEqual([event, data.type, data.id, data.session_id], ['message.received', event, id, device.id]);
    assert.equal(data.data.body, 'Halo\n\nline two: ✓');

    await device.text(ANNA, 'good morning');
    await gateway.until('the send is received', () => stream.types().includes('message.sent'));
  });

  it('carries the same test event that a webhook receives', async (t) => {
    const receiver = await aReceiver(t);
    const { gateway, tenant, listen } = await aLiveFixture(t, kind, { egress_allow: [receiver.place] });
    const stream = await listen();
    const { id } = (await tenant.api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['message.sent'] })).body;
    assert.equal((await tenant.api('POST', `/v1/webhooks/${id}/test`)).status, 202);
    await gateway.until('both receive it', () => stream.events.length > 0 && receiver.received.length > 0);
    assert.deepEqual([stream.types(), stream.events[0]?.data], [['webhook.test'], receiver.of('webhook.test')[0]?.body]);
  });

  it("never carries another tenant's events", async (t) => {
    const { gateway, listen: listenHere, write } = await aLiveFixture(t, kind);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    const [own, foreign] = [await listenHere(), await listen(gateway.node.url, other.api)];
    write('for acme');
    await gateway.until('acme receives it', () => own.events.length > 0);
    await gateway.clock.advance(1_000);
    assert.deepEqual(foreign.events, []);
  });

  it("carries only one device's events if the key is limited to that device", async (t) => {
    const { gateway, tenant, device, listen, key, write } = await aLiveFixture(t, kind);
    const second = await tenant.linked(SECOND);
    const restricted = await key({ session_ids: [second.id], scopes: ['read'] });
    const [all, one] = [await listen(), await listen(restricted.api)];
    write('to the first');
    write('to the second', ANNA, SECOND);
    await gateway.until('the owner receives both', () => all.events.length === 2);
    await gateway.until('the key receives its own', () => one.events.length === 1);
    assert.deepEqual(new Set(all.events.map(({ data }) => data.session_id)), new Set([device.id, second.id]));
    assert.equal(one.events[0]?.data.session_id, second.id);
  });

  it('sends a heartbeat every 15 seconds', async (t) => {
    const { gateway, listen } = await aLiveFixture(t, kind);
    const stream = await listen();
    await gateway.clock.advance(45_000);
    assert.equal(stream.comments.filter((comment) => comment === 'hb').length, 3);
    assert.equal(stream.isClosed, false);
  });

  it('carries events that exist only on streams and cannot be polled', async (t) => {
    const { gateway, tenant, listen } = await aLiveFixture(t, kind);
    const stream = await listen();
    const before = (await tenant.api('GET', '/v1/events/pull')).body.events.length;
    gateway.node.live.emit(tenant.id, null, { type: 'scheduled.sent', data: { scheduled_id: 's', message_id: 'm' } });
    await gateway.until('it is received', () => stream.types().includes('scheduled.sent'));
    assert.deepEqual(stream.events.at(-1)?.data.data, { scheduled_id: 's', message_id: 'm' });
    assert.equal(stream.events.at(-1)?.id, '');
    assert.equal((await tenant.api('GET', '/v1/events/pull')).body.events.length, before);
  });
});

eachStore('a stream ticket', (kind) => {
  it('opens only one stream, within a minute', async (t) => {
    const { gateway, tenant } = await aLiveFixture(t, kind);
    const url = await ticketUrl(tenant.api);
    assert.match(url, /^\/v1\/events\?ticket=[\w-]{43}$/);
    const both = await Promise.all([open(gateway.node.url, url), open(gateway.node.url, url)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);

    const late = await ticketUrl(tenant.api);
    await gateway.clock.advance(60_000);
    assert.equal((await gateway.api('GET', late)).body.code, 'UNAUTHORIZED');
    assert.equal((await gateway.api('GET', '/v1/events?ticket=invented')).status, 401);
    assert.equal((await gateway.api('GET', '/v1/events')).status, 401);
    assert.equal((await gateway.api('POST', '/v1/events-ticket')).status, 401);
  });

  it('becomes invalid when its login ends', async (t) => {
    const { gateway, tenant } = await aLiveFixture(t, kind);
    const url = await ticketUrl(tenant.api);
    await tenant.api('POST', '/auth/logout');
    assert.equal((await open(gateway.node.url, url)).status, 401);
  });

  it('is never written to the log', async (t) => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const { gateway, tenant } = await aLiveFixture(t, kind, {}, log);
    const url = await ticketUrl(tenant.api);
    assert.equal((await open(gateway.node.url, url)).status, 200);
    await gateway.api('GET', url);
    const logged = lines.filter((line) => line.includes('"/v1/events"'));
    assert.equal(logged.length, 2);
    assert.ok(!lines.join().includes(url.split('=')[1]!));
  });
});
