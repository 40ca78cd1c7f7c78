import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConnectionState, DeviceCommand } from '../../../../actors/device/protocol.ts';
import { actOf, rowOf } from '../../../support/rows.ts';
import { CREDENTIAL, CREDENTIALS, DIGITS, factsOf, OPTIONS } from './device-fixture.ts';
import { DeviceHarness, type Question } from './device-harness.ts';

type Asked = Question['type'];

/** One of each kind that expects an answer: a new kind does not compile until it is here. */
const QUESTIONS: { readonly [T in Asked]: Extract<Question, { readonly type: T }> } = {
  connect: { type: 'connect' },
  disconnect: { type: 'disconnect' },
  restart: { type: 'restart' },
  logOut: { type: 'logOut' },
  adopt: {
    type: 'adopt',
    login: { moveId: 'M', generation: 'g', credentials: CREDENTIALS, phone: DIGITS, lid: null, linkedAt: null },
  },
  retire: { type: 'retire' },
  pairByCode: { type: 'pairByCode', digits: DIGITS },
  answerPasskey: { type: 'answerPasskey', credential: CREDENTIAL },
  confirmPasskey: { type: 'confirmPasskey' },
  lookUp: { type: 'lookUp', digits: [DIGITS] },
  question: { type: 'question', question: { name: 'groups.get', input: { id: '120363000000000001@g.us' } } },
  fetchFile: { type: 'fetchFile', id: '01J00000000000000000000000' },
  deliver: {
    type: 'deliver',
    message: { netId: 'OTP', to: `${DIGITS}@s.whatsapp.net`, content: { type: 'text', body: '123456' }, quotes: null },
  },
  action: { type: 'action', action: actOf('ACT') },
  presence: { type: 'presence', chat: `${DIGITS}@s.whatsapp.net`, state: 'composing' },
  drain: { type: 'drain', must: false },
};

const LINKED = factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' });

/** How a device comes to each phase: a new phase does not compile until it is here. */
const PHASES: { readonly [P in ConnectionState['phase']]: () => DeviceHarness } = {
  down: () => settled(new DeviceHarness(factsOf())),
  opening: () => new DeviceHarness(LINKED),
  linking,
  connecting: () => settled(new DeviceHarness(LINKED)),
  online,
  backingOff() {
    const harness = online();
    harness.say({ type: 'closed', code: 428 });
    return harness;
  },
  failed() {
    const harness = online();
    harness.say({ type: 'closed', code: 403 });
    return harness;
  },
};

/** Corners within a phase. */
const CORNERS: Readonly<Record<string, () => DeviceHarness>> = {
  'connecting for the first time': () => new DeviceHarness(factsOf({ wanted: true })),
  'linking, with a code shown': codeShown,
  'linking, while a user waits for a pairing code': () => {
    const harness = new DeviceHarness(factsOf());
    harness.ask({ type: 'pairByCode', digits: DIGITS });
    return settled(harness);
  },
  'linking, while a passkey is requested': passkeyAsked,
  'linking, while a code is being compared': () => {
    const harness = passkeyAsked();
    harness.say({ type: 'passkeyConfirm', code: 'ABCD-1234', expiresAt: harness.now + 60_000 });
    return harness;
  },
  'linked, before the link is stored': () => {
    const harness = codeShown();
    harness.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    return harness;
  },
  'linked and asked to reconnect, before the link is stored': () => {
    const harness = codeShown();
    harness.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    harness.say({ type: 'closed', code: 515 });
    return harness;
  },
  'online, reading messages from the previous connection': () => connected(new DeviceHarness(LINKED)),
  'online, with messages on the wire': withMail,
  'online, draining': () => {
    const harness = withMail();
    harness.ask({ type: 'drain', must: false });
    return harness;
  },
  'replaced by another login': () => {
    const harness = online();
    harness.say({ type: 'closed', code: 440 });
    return harness;
  },
  'drained, while no new owner takes over': () => {
    const harness = online();
    harness.ask({ type: 'drain', must: false });
    return settled(harness);
  },
};

describe('device requests', () => {
  for (const [phase, reach] of [...Object.entries(PHASES), ...Object.entries(CORNERS)]) {
    for (const question of Object.values(QUESTIONS)) {
      it(`settle when the network does not respond: ${question.type}, ${phase}`, () => assertSettles(reach(), question, silence));
      it(`settle when the connection drops: ${question.type}, ${phase}`, () => assertSettles(reach(), question, drop));
      it(`settle when the store fails: ${question.type}, ${phase}`, () => assertSettles(reach(), question, failOnce));
    }
  }

  it('are made in the connection phases that the test titles mention', () => {
    for (const [phase, reach] of Object.entries(PHASES)) assert.equal(reach().state.connection.phase, phase);
  });
});

function assertSettles(harness: DeviceHarness, question: Question, then: (harness: DeviceHarness) => void): void {
  harness.ask(question);
  then(harness);
  const end = harness.now + 60_000;
  for (let open = true; open && harness.now < end && harness.asks.size > 0; ) {
    harness.finish();
    open = harness.tick();
  }
  assert.deepEqual([...harness.asks.values()], [], `left waiting while ${JSON.stringify(harness.state.connection)}`);
}

function silence(): void {}

function drop(harness: DeviceHarness): void {
  if (harness.connection !== null) harness.say({ type: 'closed', code: 428 });
}

function failOnce(harness: DeviceHarness): void {
  for (const request of harness.ready)
    if (harness.inFlight.includes(request)) harness.end(request, request.what === 'connect' ? 'well' : 'badly');
}

function settled(harness: DeviceHarness): DeviceHarness {
  harness.finish();
  return harness;
}

function linking(): DeviceHarness {
  const harness = new DeviceHarness(factsOf());
  harness.ask({ type: 'connect' });
  return settled(harness);
}

function codeShown(): DeviceHarness {
  const harness = linking();
  harness.say({ type: 'qr', qr: '1', expiresAt: harness.now + 60_000 });
  return settled(harness);
}

function passkeyAsked(): DeviceHarness {
  const harness = codeShown();
  harness.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: harness.now + 60_000 });
  return harness;
}

function connected(harness: DeviceHarness): DeviceHarness {
  harness.finish();
  harness.say({ type: 'opened', phone: DIGITS, name: null, about: null });
  return harness;
}

function online(): DeviceHarness {
  return settled(connected(new DeviceHarness(LINKED)));
}

function withMail(): DeviceHarness {
  const harness = online();
  for (const id of ['A', 'B']) harness.rows.set(id, rowOf(id, harness.now));
  harness.receive({ type: 'workArrived' } satisfies DeviceCommand);
  return settled(harness);
}
