import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeviceCommand, LineState } from '../../actors/device/protocol.ts';
import { CREDENTIAL, CREDENTIALS, DIGITS, factsOf, OPTIONS } from './facts.ts';
import { Puppet, type Question } from './puppet.ts';
import { actOf, rowOf } from './rows.ts';

type Asked = Question['type'];

/** One of each kind that expects an answer: a new kind does not compile until it is here. */
const QUESTIONS: { readonly [T in Asked]: Extract<Question, { readonly type: T }> } = {
  connect: { type: 'connect' },
  disconnect: { type: 'disconnect' },
  restart: { type: 'restart' },
  logOut: { type: 'logOut' },
  retire: { type: 'retire' },
  pairByCode: { type: 'pairByCode', digits: DIGITS },
  answerPasskey: { type: 'answerPasskey', credential: CREDENTIAL },
  confirmPasskey: { type: 'confirmPasskey' },
  lookUp: { type: 'lookUp', digits: [DIGITS] },
  fetchFile: { type: 'fetchFile', id: '01J00000000000000000000000' },
  deliver: {
    type: 'deliver',
    message: { netId: 'OTP', to: `${DIGITS}@s.whatsapp.net`, content: { type: 'text', body: '123456' }, quotes: null },
  },
  act: { type: 'act', act: actOf('ACT') },
  presence: { type: 'presence', chat: `${DIGITS}@s.whatsapp.net`, state: 'composing' },
  drain: { type: 'drain', must: false },
};

const LINKED = factsOf({ credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' });

/** How a device comes to each phase: a new phase does not compile until it is here. */
const PHASES: { readonly [P in LineState['phase']]: () => Puppet } = {
  down: () => settled(new Puppet(factsOf())),
  dialling: () => new Puppet(LINKED),
  linking,
  connecting: () => settled(new Puppet(LINKED)),
  online,
  backingOff() {
    const puppet = online();
    puppet.say({ type: 'closed', code: 428 });
    return puppet;
  },
  failed() {
    const puppet = online();
    puppet.say({ type: 'closed', code: 403 });
    return puppet;
  },
};

/** Corners within a phase. */
const CORNERS: Readonly<Record<string, () => Puppet>> = {
  'dialling for the first time': () => new Puppet(factsOf({ wanted: true })),
  'linking, with a code on show': codeShown,
  'linking, while somebody waits for a pairing code': () => {
    const puppet = new Puppet(factsOf());
    puppet.ask({ type: 'pairByCode', digits: DIGITS });
    return settled(puppet);
  },
  'linking, while a passkey is asked for': passkeyAsked,
  'linking, while a code is to be compared': () => {
    const puppet = passkeyAsked();
    puppet.say({ type: 'passkeyConfirm', code: 'ABCD-1234', expiresAt: puppet.now + 60_000 });
    return puppet;
  },
  'linked, before that is stored': () => {
    const puppet = codeShown();
    puppet.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    return puppet;
  },
  'linked and told to come again, before that is stored': () => {
    const puppet = codeShown();
    puppet.say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    puppet.say({ type: 'closed', code: 515 });
    return puppet;
  },
  'online, reading what the last line left': () => connected(new Puppet(LINKED)),
  'online, with messages on the wire': withMail,
  'online, draining': () => {
    const puppet = withMail();
    puppet.ask({ type: 'drain', must: false });
    return puppet;
  },
  'replaced by another login': () => {
    const puppet = online();
    puppet.say({ type: 'closed', code: 440 });
    return puppet;
  },
  'rested for its next owner, who does not come': () => {
    const puppet = online();
    puppet.ask({ type: 'drain', must: false });
    return settled(puppet);
  },
};

describe('whoever asks a device is answered', () => {
  for (const [phase, reach] of [...Object.entries(PHASES), ...Object.entries(CORNERS)]) {
    for (const question of Object.values(QUESTIONS)) {
      it(`${question.type}, ${phase}, a network that says nothing more`, () => assertSettles(reach(), question, silence));
      it(`${question.type}, ${phase}, a line that drops`, () => assertSettles(reach(), question, drop));
      it(`${question.type}, ${phase}, a store that fails`, () => assertSettles(reach(), question, failOnce));
    }
  }

  it('in every phase that there is', () => {
    for (const [phase, reach] of Object.entries(PHASES)) assert.equal(reach().state.line.phase, phase);
  });
});

function assertSettles(puppet: Puppet, question: Question, then: (puppet: Puppet) => void): void {
  puppet.ask(question);
  then(puppet);
  const end = puppet.now + 60_000;
  for (let open = true; open && puppet.now < end && puppet.asks.size > 0; ) {
    puppet.finish();
    open = puppet.tick();
  }
  assert.deepEqual([...puppet.asks.values()], [], `left waiting while ${JSON.stringify(puppet.state.line)}`);
}

function silence(): void {}

function drop(puppet: Puppet): void {
  if (puppet.line !== null) puppet.say({ type: 'closed', code: 428 });
}

function failOnce(puppet: Puppet): void {
  for (const errand of puppet.ready) if (puppet.errands.includes(errand)) puppet.end(errand, errand.what === 'dial' ? 'well' : 'badly');
}

function settled(puppet: Puppet): Puppet {
  puppet.finish();
  return puppet;
}

function linking(): Puppet {
  const puppet = new Puppet(factsOf());
  puppet.ask({ type: 'connect' });
  return settled(puppet);
}

function codeShown(): Puppet {
  const puppet = linking();
  puppet.say({ type: 'qr', qr: '1', expiresAt: puppet.now + 60_000 });
  return settled(puppet);
}

function passkeyAsked(): Puppet {
  const puppet = codeShown();
  puppet.say({ type: 'passkeyAsked', options: OPTIONS, expiresAt: puppet.now + 60_000 });
  return puppet;
}

function connected(puppet: Puppet): Puppet {
  puppet.finish();
  puppet.say({ type: 'opened', phone: DIGITS, name: null, about: null });
  return puppet;
}

function online(): Puppet {
  return settled(connected(new Puppet(LINKED)));
}

function withMail(): Puppet {
  const puppet = online();
  for (const id of ['A', 'B']) puppet.rows.set(id, rowOf(id, puppet.now));
  puppet.hear({ type: 'workArrived' } satisfies DeviceCommand);
  return settled(puppet);
}
