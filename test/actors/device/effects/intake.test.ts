import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import type { Network } from '../../../../actors/network/port.ts';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { Refusal } from '../../../../runtime/errors.ts';
import { boundLine } from '../../../../scripts/faults/watched.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { aLog } from '../../../support/log.ts';
import { eachStore } from '../../../support/stores.ts';
import { PNG } from '../../services/media/files.ts';

eachStore('a download interrupted by a lost connection', (kind) => {
  it('completes on the next connection, which stays open', async (t) => {
    const { log, lines } = aLog();
    const underWay = new Map<string, Readable>();
    const gateway = await aGateway(t, { kind, log, network: (sandbox) => brokenOff(sandbox.network(), underWay) });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const photo = { type: 'image', file: { base64: PNG.toString('base64') } } as const;
    const { id } = sandboxVerbs(gateway.sandbox).write(ANNA, { to: PHONE, ...photo });
    const { journal } = gateway.sandbox;
    await gateway.until('it is on its way', () => underWay.size > 0);
    gateway.sandbox.device(PHONE).fault({ kind: 'drop' });
    await gateway.until('it is here', () => journal.of('received-acked').some(({ netId }) => netId === id));
    await gateway.clock.advance(10_000);
    assert.deepEqual([await device.status(), (await acme.api('GET', `${device.path}/health`)).body.reconnects_24h], ['connected', 1]);
    assert.deepEqual(lines('device.store_error'), []);
  });
});

/**
 * Files come over the connection itself: the first breaks off as soon as there is another connection, and is there only after it was asked for
 * over the old one again.
 */
function brokenOff(network: Network, underWay: Map<string, Readable>): Network {
  const current = new Map<string, object>();
  const { promise: askedAgain, resolve: askAgain } = Promise.withResolvers<void>();
  return {
    ...network,
    open(order, receive) {
      const { deviceId } = order;
      const line = boundLine(
        network.open(order, (event) => {
          if (event.type === 'opened') underWay.get(deviceId)?.destroy(new Error('broken off'));
          receive(event);
        }),
      );
      current.set(deviceId, line);
      return {
        ...line,
        async download(file) {
          if (current.get(deviceId) !== line) {
            askAgain();
            throw new Refusal('NOT_CONNECTED');
          }
          if (underWay.has(deviceId)) return askedAgain.then(() => line.download(file));
          const silent = new Readable({ read() {} });
          underWay.set(deviceId, silent);
          return silent;
        },
      };
    },
  };
}
