import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { refusal } from '../../../../actors/domain/refusals.ts';
import { userJid } from '../../../../actors/network/jid.ts';
import { type CallRejectionDeps, createCallRejection } from '../../../../actors/services/calls/reject-calls.ts';

const NOW = 1_767_225_600_000;
const ANNA = userJid('6281211110001');
const OWNER = { tenantId: 't', sessionId: '01JZX5ZB4T8QKX3N9V7C2M6D1E', epoch: 1 };
const PLACE = { chat: ANNA, from: ANNA, lid: null };
const call = (callId: string, at = NOW) => ({ token: callId, callId, video: false, at, chat: ANNA, from: ANNA });

function aDesk(over: Partial<CallRejectionDeps> = {}) {
  const [texts, rejected, skipped]: [string[], string[], string[]] = [[], [], []];
  const device = { _id: OWNER.sessionId, calls: { reject: true, reject_text: 'Write to us' } };
  const deps = {
    devices: { find: async () => device },
    tenants: { find: async () => ({ suspended: false, plan: 'free', profile: { timezone: 'UTC' } }) },
    turns: { claimOneOf: async () => true },
    consentCheck: { admit: async () => ({ isOptedOut: false }) },
    plans: plansFrom({}),
    sending: {
      accept: async (_device: unknown, _plan: unknown, { id, body }: { id: string; body: string }) => void texts.push(`${id} ${body}`),
    },
    now: () => NOW,
    fill: async (_tenant: string, _chat: string, text: string) => text,
    reject: (_row: unknown, { callId }: { callId: string }) => void rejected.push(callId),
    failed: ({ code }: { code: string }) => void skipped.push(code),
    ...over,
  } as unknown as CallRejectionDeps;
  return { onCall: createCallRejection(deps), texts, rejected, skipped };
}

it('a reply to a repeated notice of one call keeps its message id, and a reply to another call gets a new one', async () => {
  const { onCall, texts, rejected } = aDesk();
  for (const id of ['one', 'one', 'two']) await onCall(OWNER, call(id), PLACE);
  assert.deepEqual(rejected, ['one', 'one', 'two']);
  assert.deepEqual([texts[0] === texts[1], texts[0] === texts[2]], [true, false]);
});

it('an old call is ignored, and callers who opted out or call again get no text', async () => {
  const late = aDesk();
  await late.onCall(OWNER, call('late', NOW - 61_000), PLACE);
  assert.deepEqual([late.rejected, late.texts], [[], []]);
  const stop = async () => {
    throw refusal('CONFLICT', { reason: 'opted out' });
  };
  const out = aDesk({ consentCheck: { admit: stop } as never });
  await out.onCall(OWNER, call('one'), PLACE);
  assert.deepEqual([out.rejected, out.texts, out.skipped], [['one'], [], ['CONFLICT']]);
  const claimed: string[] = [];
  const alsoOut = aDesk({
    consentCheck: { admit: async () => ({ isOptedOut: true }) },
    turns: { claimOneOf: async ({ cause }: { cause: string }) => claimed.push(cause) > 0 } as never,
  });
  await alsoOut.onCall(OWNER, call('one'), PLACE);
  assert.deepEqual([alsoOut.rejected, alsoOut.texts, alsoOut.skipped, claimed], [['one'], [], [], []]);
  const often = aDesk({ turns: { claimOneOf: async () => false } });
  await often.onCall(OWNER, call('one'), PLACE);
  assert.deepEqual([often.rejected, often.texts], [['one'], []]);
});
