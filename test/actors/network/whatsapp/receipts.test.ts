import '../../../network-peer/silent-logger.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { handleReceipts } from '../../../../actors/network/whatsapp/inbound/receipts.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import type { Outbound } from '../../../../actors/network/whatsapp/outbound/outbound.ts';
import type { ConnectionContext } from '../../../../actors/network/whatsapp/session/connection-context.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';

it('a receipt is also sent to an account without a hidden address', async () => {
  const clock = new VirtualClock();
  const kept: unknown[] = [];
  let receive: (stanza: BinaryNode) => void = () => assert.fail('nobody takes receipts');
  const context = {
    library: await loadLibrary(),
    creds: { me: { id: '628111000000:3@s.whatsapp.net' } },
    socket: { ws: { removeAllListeners: () => {} } },
    frames: { take: (taking: { receive: typeof receive }) => (receive = taking.receive) },
    keep: ({ type, netIds, status, at }: { type: string; netIds: string[]; status: string; at: number }) =>
      kept.push({ type, netIds, status, at }),
    clock,
    log: { debug: (reason: unknown) => assert.fail(String(reason)) },
  } as unknown as ConnectionContext;
  handleReceipts(context, {} as Outbound, { early: { keep: async () => {} }, caughtUp: async () => {} });
  receive({ tag: 'receipt', attrs: { id: '3EB0A1', from: '628122000000@s.whatsapp.net', type: 'read', t: '1700000000' } });
  await clock.advance(100);
  assert.deepEqual(kept, [{ type: 'receipt', netIds: ['3EB0A1'], status: 'read', at: 1_700_000_000_000 }]);
});
