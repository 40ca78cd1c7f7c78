import assert from 'node:assert/strict';
import { Session } from 'node:inspector';
import { join, relative } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { messages } from '../http/areas/messages/rows.ts';
import type { Store } from '../store/port.ts';
import { aReceiver, SECRET } from './actors/services/webhooks/receiver.ts';
import { ANNA, aGateway, PHONE } from './support/gateway.ts';
import { embedded, type StoreKind } from './support/stores.ts';

/** What a reader goes through to follow one thing through the gateway. */
interface Walk {
  /** In order: the files that hand it on, change it, hold it or refuse it. */
  readonly through: readonly string[];
  /** Answers to questions on the way: forms of addresses, stored rows, counts. Its name says what each answers. */
  readonly asks: readonly string[];
}

/** From the row of the endpoint to the socket of the device. */
const SEND: Walk = {
  through: [
    'http/areas/messages/rows.ts',
    'actors/services/messaging/idempotency.ts',
    'http/areas/messages/checks.ts',
    'actors/domain/numbers/read-number.ts',
    'actors/services/identities/number-reader.ts',
    'actors/services/identities/identities.ts',
    'actors/services/conversations/visibility.ts',
    'actors/services/consent/check.ts',
    'actors/services/messaging/sending.ts',
    'actors/services/messaging/queue-room.ts',
    'actors/services/messaging/quota-cache.ts',
    'store/messaging/new-message.ts',
    'store/messaging/messages.ts',
    'scripts/wiring/shared-deps.ts',
    'actors/device/behaviour/device.ts',
    'actors/device/behaviour/sending.ts',
    'actors/device/behaviour/pacing.ts',
    'actors/domain/warm-up.ts',
    'actors/device/effects/claiming.ts',
    'actors/device/effects/device-effects.ts',
    'actors/device/effects/device-timers.ts',
    'actors/device/effects/previewed-sends.ts',
    'actors/device/effects/send-scheduler.ts',
    'actors/services/consent/cancel-marketing.ts',
    'actors/device/behaviour/content.ts',
  ],
  asks: [
    'actors/device/actor-id.ts',
    'actors/device/behaviour/move-in.ts',
    'actors/device/behaviour/session-events.ts',
    'actors/device/effects/traffic-meter.ts',
    'actors/domain/link-preview.ts',
    'actors/domain/numbers/twins.ts',
    'actors/network/channels.ts',
    'actors/network/jid.ts',
    'actors/network/subject.ts',
    'actors/services/identities/forms.ts',
    'actors/services/media/types.ts',
    'http/areas/messages/interactive.ts',
    'http/areas/messages/previews.ts',
    'http/areas/messages/warnings.ts',
    'http/areas/params.ts',
    'store/accounts/usage.ts',
    'store/consent/consents.ts',
    'store/identities/identities.ts',
    'store/messaging/message-row.ts',
    'store/messaging/claims.ts',
    'store/messaging/timed.ts',
    'store/messaging/wire-ids.ts',
    'store/paging/read-sliced.ts',
    'store/patterns/bounded-counter.ts',
    'store/patterns/upsert-where.ts',
  ],
};

/** From what the device receives to the row of the consent. */
const STOP: Walk = {
  through: [
    'actors/device/effects/device-effects.ts',
    'actors/device/behaviour/device.ts',
    'actors/device/effects/intake.ts',
    'actors/device/effects/inbound-messages.ts',
    'actors/services/identities/identities.ts',
    'actors/device/behaviour/inbound-row.ts',
    'store/messaging/new-message.ts',
    'store/messaging/messages.ts',
    'actors/services/messaging/outbox-processor.ts',
    'actors/services/consent/outbox-handler.ts',
    'actors/services/consent/config.ts',
    'actors/services/consent/keywords.ts',
    'actors/domain/matched-part.ts',
    'actors/services/consent/consent-service.ts',
    'store/consent/consents.ts',
  ],
  asks: [
    'actors/device/behaviour/content.ts',
    'actors/device/behaviour/move-in.ts',
    'actors/device/behaviour/session-events.ts',
    'actors/device/effects/device-timers.ts',
    'actors/device/effects/early-actions.ts',
    'actors/device/effects/traffic-meter.ts',
    'actors/device/effects/unheard.ts',
    'actors/domain/message-timers.ts',
    'actors/network/jid.ts',
    'actors/network/port.ts',
    'actors/services/accounts/platform-sender.ts',
    'actors/network/subject.ts',
    'scripts/wiring/shared-deps.ts',
    'store/consent/consent-configs.ts',
    'store/messaging/content-kinds.ts',
    'store/messaging/received-actions.ts',
    'store/patterns/batches-of.ts',
    'store/patterns/insert-missing.ts',
  ],
};

/** From the row of an event to the socket of the customer's endpoint. */
const WEBHOOK: Walk = {
  through: [
    'actors/services/events/event-log.ts',
    'actors/tenant/hints.ts',
    'actors/tenant/behaviour/tenant.ts',
    'actors/tenant/effects/tenant-effects.ts',
    'actors/tenant/effects/load-snapshot.ts',
    'actors/services/webhooks/new-delivery.ts',
    'actors/tenant/behaviour/webhook-endpoint.ts',
    'actors/services/webhooks/signed-delivery.ts',
    'actors/services/webhooks/webhook-client.ts',
    'actors/services/webhooks/delivery-attempt.ts',
  ],
  asks: [
    'actors/services/credentials/sealed-secrets.ts',
    'actors/services/events/types.ts',
    'actors/services/webhooks/signature.ts',
    'actors/services/webhooks/signing-buffer.ts',
    'actors/services/webhooks/signing-key.ts',
    'actors/tenant/behaviour/due-work.ts',
    'actors/tenant/behaviour/questions.ts',
    'store/devices/devices.ts',
    'store/events/events.ts',
    'store/patterns/batches-of.ts',
    'store/patterns/while-unchanged.ts',
    'store/scheduling/wakeups.ts',
    'store/webhooks/deliveries.ts',
    'store/webhooks/webhooks.ts',
  ],
};

/** What carries everything and knows nothing of it: actors, engines, HTTP, the simulated network, the log of audited writes, what counts. */
const CARRIES = /^(runtime|store\/(engines|audit)|http\/(core|server|auth|limits)|actors\/network\/sandbox|scripts\/wiring\/metrics)\//;

/** What else runs beside a webhook: the change of consent that the event is of, its audit and its answer. */
const BESIDE_WEBHOOK =
  /^(http\/areas|actors\/services\/(audit|consent|identities|live|people|push|security)|store\/(consent|contacts|paging|accounts|identities|push|messaging)|scripts\/wiring)\/|^actors\/network\/(jid|subject)\.ts$/;

const OPERATION = /\.(find|insert|update|delete|count)\w*$/;
/** Of a text to a known person, from its request to the network. Two of them ask for all forms of the person, so that an opt-out counts under each. */
const MOST_STATEMENTS = 7;

it('sending a message, receiving a STOP and delivering a webhook run only code in the listed files', async (t) => {
  const coverage = preciseCoverage();
  let receive: (what: string) => void = () => {};
  const receiver = await aReceiver(t);
  const gateway = await aGateway(t, {
    kind: received((what) => receive(what)),
    config: { egress_allow: [receiver.place] },
    network: (sandbox) => {
      const network = sandbox.network();
      return {
        name: network.name,
        shutdown: () => network.shutdown(),
        open: (order, tell) =>
          reporting(
            network.open(order, (event) => {
              receive(`network: ${event.type}`);
              tell(event);
            }),
            (method) => receive(`network.${method}`),
          ),
      };
    },
  });
  receiver.answer((response) => {
    receive('webhook');
    response.writeHead(204).end();
  });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
  await acme.api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['consent.changed'] });
  const row = messages.rows.find(({ id }) => id === 'sendMessage');
  assert.ok(row);
  const { run } = row;
  t.mock.method(row, 'run', (...args: unknown[]) => {
    receive('the row');
    return Reflect.apply(run, row, args);
  });

  /** What was asked of the store between the two moments that were looked at last. */
  let statements: string[] = [];
  /** The files that ran between two moments, of which `act` is the cause. */
  const between = async (begin: string, end: string, act: () => unknown): Promise<ReadonlySet<string>> => {
    let ran: ReadonlySet<string> | null = null;
    let begun = false;
    receive = (what) => {
      if (what === begin && !begun) {
        begun = true;
        statements = [];
        coverage.take();
      } else if (what === end && begun) ran ??= coverage.take();
      else if (ran === null && begun && OPERATION.test(what)) statements.push(what);
    };
    await act();
    const files = await gateway.until(`${begin} … ${end}`, () => ran);
    receive = () => {};
    await gateway.clock.advance(5_000);
    return files;
  };
  const twice = async (begin: string, end: string, act: (nth: number) => unknown) =>
    [await between(begin, end, () => act(0)), await between(begin, end, () => act(1))] as const;

  const people = [ANNA, '6281211110002', '6281211110003', '6281211110004'] as const;
  const sends = await twice('the row', 'network.send', (nth) => device.text(ANNA, `text ${nth}`));
  assert.ok(statements.length > 0 && statements.length <= MOST_STATEMENTS, `${statements.length} statements: ${statements.join(', ')}`);
  const stops = await twice('network: received', 'consents.insertMany', (nth) =>
    gateway.sandbox.phone(people[nth] ?? ANNA).write({ to: PHONE, content: { type: 'text', body: 'STOP' } }),
  );
  const webhooks = await twice('events.insertMany', 'webhook', (nth) =>
    acme.api('PUT', `/v1/consent/${people[nth + 2]}`, { status: 'opted_out' }),
  );
  expectWalk(SEND, sends, 25);
  expectWalk(STOP, stops, 15);
  expectWalk(WEBHOOK, webhooks, 10, BESIDE_WEBHOOK);
});

/** Each file of the walk ran; what ran both times is on it, or was asked. What ran only once is a sweep, or filled a cache. */
function expectWalk(
  { through, asks }: Walk,
  [one, other]: readonly [ReadonlySet<string>, ReadonlySet<string>],
  most: number,
  beside?: RegExp,
) {
  const idle = [...through, ...asks].filter((file) => !one.has(file) && !other.has(file));
  const unknown = [...one].filter((file) => other.has(file) && !through.includes(file) && !asks.includes(file));
  assert.deepEqual(
    { idle, unknown: unknown.filter((file) => !CARRIES.test(file) && !beside?.test(file)).sort() },
    { idle: [], unknown: [] },
  );
  assert.ok(through.length <= most, `${through.length} files instead of ${most}: ${through.join(', ')}`);
}

/** Counts calls of this process, as the engine of JavaScript does. */
function preciseCoverage(): { take(): ReadonlySet<string> } {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const root = join(import.meta.dirname, '..');
  return {
    /** The files of the program that ran since it was last asked. */
    take() {
      const files = new Set<string>();
      session.post('Profiler.takePreciseCoverage', (failed, { result }) => {
        if (failed) throw failed;
        for (const { url, functions } of result) {
          const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
          const hasRun = functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
          if (hasRun && /^(actors|http|runtime|scripts|store)\//.test(file)) files.add(file);
        }
      });
      return files;
    },
  };
}

/** The embedded store, which says what is asked of its collections. */
const received = (receive: (call: string) => void): StoreKind => ({
  name: 'embedded',
  async fresh(scope) {
    const store: Store = await embedded.fresh(scope);
    return {
      name: store.name,
      collection: (spec) => reporting(store.collection(spec), (method) => receive(`${spec.name}.${method}`)),
      prepare: () => store.prepare(),
      ping: () => store.ping(),
      sweep: (now) => store.sweep(now),
      close: () => store.close(),
    };
  },
});

/** The same, and each call of a method is reported. */
function reporting<T extends object>(one: T, receive: (method: string) => void): T {
  return new Proxy(one, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        receive(String(name));
        return member.apply(target, args);
      };
    },
  });
}
