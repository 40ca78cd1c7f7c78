import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { ChatAddressing } from '../../../../actors/network/whatsapp/outbound/addressing.ts';
import type { ConnectionContext } from '../../../../actors/network/whatsapp/session/connection-context.ts';

const ANNA = '628111000002@s.whatsapp.net';
const HIDDEN = '9000002@lid';
const SHOP = '628111000001@s.whatsapp.net';
const GROUP = '120363000000000001@g.us';

type Form = 'lid' | 'pn';

interface Case {
  readonly chat: string;
  readonly form: Form | null;
  readonly hidden: string | null;
  readonly byNumber: Form | null;
  readonly byHidden: Form | null;
  readonly lidFirst: boolean;
}

/** Returns the address of a chat, and how many reads of the store it waited for. `isWarm` is true if the person's devices are in memory. */
async function reached({ chat, form, hidden, byNumber, byHidden, lidFirst }: Case, isWarm: boolean) {
  const library = await loadLibrary();
  let reads = 0;
  const stored: Record<string, Record<string, unknown>> = {};
  const creds: Record<string, unknown> = { me: { id: '628111000001:3@s.whatsapp.net', lid: '9000001:3@lid' } };
  const context = {
    ...{ library, creds, isHabit: () => lidFirst, log: { info: () => {}, debug: assert.fail } },
    account: { devices: { get: () => (isWarm ? [{ device: 0 }] : undefined) }, unresolved: { get: () => undefined } },
    signal: {
      seals: { hidden: () => hidden?.split('@')[0] ?? null },
      knownMapping: async () => {
        reads += 1;
        return { lid: hidden, pn: ANNA };
      },
    },
    credentialBuffer: {
      get: async (kind: string, [id = '']: readonly string[]) => {
        reads += 1;
        return { [id]: stored[kind]?.[id] };
      },
      set: (kind: string, values: object) => {
        stored[kind] = { ...stored[kind], ...values };
      },
    },
    socket: {
      ws: { on: () => {} },
      getUSyncDevices: async (jids: readonly string[]) => jids.map((jid) => library.jidDecode(jid)),
    },
  } as unknown as ConnectionContext;
  const addressing = new ChatAddressing(context);
  if (byNumber) addressing.heard(byNumber === 'pn' ? ANNA : HIDDEN, undefined);
  if (byHidden) addressing.heard(byHidden === 'lid' ? HIDDEN : ANNA, HIDDEN);
  // Both of the person's records are in memory from here on.
  await addressing.known(chat);
  await nextTurn();
  if (form) creds['chats'] = { form, isTold: true };
  reads = 0;
  return { address: await addressing.reach(chat), reads };
}

const CASES: readonly Case[] = [ANNA, SHOP, GROUP].flatMap((chat) =>
  (['lid', 'pn', null] as const).flatMap((form) =>
    // In an account of hidden addresses, the network is asked for one that is unknown.
    (form === 'lid' ? [HIDDEN] : [HIDDEN, null]).flatMap((hidden) =>
      (['pn', null] as const).flatMap((byNumber) =>
        (['lid', 'pn', null] as const).flatMap((byHidden) =>
          [true, false].map((lidFirst) => ({ chat, form, hidden, byNumber, byHidden, lidFirst })),
        ),
      ),
    ),
  ),
);

it('a person whose devices are in memory is reached without waiting, at the address that would be chosen otherwise', async () => {
  let unread = 0;
  for (const one of CASES) {
    const [warm, cold] = [await reached(one, true), await reached(one, false)];
    assert.deepEqual(warm.address, cold.address, JSON.stringify(one));
    if (one.chat === ANNA && one.lidFirst && warm.reads === 0) unread += 1;
  }
  assert.equal(unread, 24);
});
