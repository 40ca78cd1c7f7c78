import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type LookupFunction } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Agent, type Dispatcher, request } from 'undici';
import { systemClock } from '../../../runtime/clock.ts';
import type { Resolve } from '../../../runtime/egress/connector.ts';
import { createEgress, type Egress } from '../../../runtime/egress/egress.ts';
import { FORBIDDEN, PUBLIC } from './forbidden-addresses.ts';

const publicly: Resolve = async () => [{ address: '93.184.215.14', family: 4 }];

function anEgress(t: TestContext, resolve: Resolve = publicly, allow: readonly string[] = []): Egress {
  const egress = createEgress({ allow, clock: systemClock, resolve });
  t.after(() => egress.close());
  return egress;
}

/** How a request ended: its status, or the code of its error. */
const outcome = (url: string, dispatcher: Dispatcher): Promise<unknown> =>
  request(url, { dispatcher, method: 'POST', body: '{}' }).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode;
    },
    (cause: { code?: string }) => cause.code,
  );

describe('requests to addresses supplied by callers', () => {
  it(`cannot reach any of ${FORBIDDEN.length} private and special addresses in any spelling`, async (t) => {
    assert.ok(FORBIDDEN.length >= 150);
    const egress = anEgress(t);
    const passed: string[] = [];
    for (const host of FORBIDDEN) {
      if ((await egress.check(`https://${host}/hook`)) === null) passed.push(`${host} (check)`);
    }
    // Names are for the resolver to judge when they are asked.
    for (const host of FORBIDDEN.filter((one) => !/local|internal/i.test(one))) {
      if ((await outcome(`https://${host}/hook`, egress.dispatcher)) !== 'EGRESS_BLOCKED') passed.push(`${host} (connect)`);
    }
    assert.deepEqual(passed, []);
  });

  it('can reach public addresses next to the forbidden ranges', async (t) => {
    const egress = anEgress(t);
    for (const host of PUBLIC) assert.equal(await egress.check(`https://${host}/hook`), null, host);
    assert.equal(await egress.check('https://shop.example.com/hook?a=1'), null);
  });

  it('must use https on port 443, without credentials', async (t) => {
    const egress = anEgress(t);
    const verdicts: [string, string | null][] = [
      ['http://shop.example.com/', 'not_https'],
      ['ftp://shop.example.com/', 'not_https'],
      ['file:///etc/passwd', 'not_https'],
      ['https://user@shop.example.com/', 'credentials'],
      ['https://:pw@shop.example.com/', 'credentials'],
      ['https://shop.example.com:8443/', 'port'],
      ['https://shop.example.com:443/', null],
      ['https://[::1%25lo]/', 'malformed'],
      ['nonsense', 'malformed'],
    ];
    for (const [url, verdict] of verdicts) assert.equal(await egress.check(url), verdict, url);
    for (const url of ['http://shop.example.com/', 'https://shop.example.com:8443/'])
      assert.equal(await outcome(url, egress.dispatcher), 'EGRESS_BLOCKED', url);
  });

  it("are rejected if any of the host's addresses is private", async (t) => {
    const both: Resolve = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: 'fd00::1', family: 6 },
    ];
    const egress = anEgress(t, both);
    assert.equal(await egress.check('https://shop.example.com/'), 'private');
    assert.equal(await outcome('https://shop.example.com/', egress.dispatcher), 'EGRESS_BLOCKED');
  });

  it('are checked when they are sent if the host could not be resolved earlier', async (t) => {
    const egress = anEgress(t, async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    });
    assert.equal(await egress.check('https://shop.example.com/'), null);
    assert.equal(await outcome('https://shop.example.com/', egress.dispatcher), 'ENOTFOUND');
  });

  it('can reach a host and port that the operator has allowed, but no others', async (t) => {
    const egress = anEgress(t, publicly, ['hooks.lan:8080', '[::1]:9000']);
    assert.equal(await egress.check('http://hooks.lan:8080/x'), null);
    assert.equal(await egress.check('https://[::1]:9000/x'), null);
    assert.equal(await egress.check('http://hooks.lan:8081/x'), 'not_https');
    assert.equal(await egress.check('https://[::1]:9001/x'), 'port');
    assert.equal(await egress.check('http://u@hooks.lan:8080/x'), 'credentials');
  });

  it('cannot be redirected by a name that resolves to another address a moment later', async (t) => {
    const trap = await aTrap(t);
    if (!trap) return t.skip('this user may not listen on port 443, where a rebound request would come out');
    let asked = 0;
    // Public whenever it is judged first, the trap whenever it is asked once more.
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked % 2 === 1 ? '93.184.215.14' : trap.address, family: 4 }];
    };
    const egress = anEgress(t, rebinding);
    for (let n = 0; n < 5; n += 1) {
      const url = `https://rebind-${n}.example.com/`;
      asked = 0;
      assert.equal(await egress.check(url), null);
      assert.equal(await outcome(url, egress.dispatcher), 'EGRESS_BLOCKED');
    }
    assert.equal(trap.connections, 0);

    // The guard off: whoever judges a name and then lets the socket resolve it again falls in.
    const lookup: LookupFunction = (_host, _options, done) => done(null, [{ address: trap.address, family: 4 }]);
    const unguarded = new Agent({ connect: { lookup } });
    t.after(() => unguarded.destroy());
    await outcome('https://rebind.example.com/', unguarded);
    assert.equal(trap.connections, 1);
  });
});

interface Trap {
  readonly address: string;
  readonly connections: number;
}

/** A listener on port 443 of an address of this machine that nobody else uses; null where that is not allowed. */
async function aTrap(t: TestContext): Promise<Trap | null> {
  const address = `127.${randomInt(1, 255)}.${randomInt(255)}.${randomInt(1, 255)}`;
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  t.after(() => server.close());
  try {
    server.listen(443, address);
    await once(server, 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw cause;
  }
  return {
    address,
    get connections() {
      return connections;
    },
  };
}
