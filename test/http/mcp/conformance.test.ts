import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

const SUITE = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** The suite sends no Authorization header: this puts a key into every request, and changes nothing else of it. */
async function withKey(t: TestContext, gateway: string, key: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { origin, ...headers } = incoming.headers;
    // Its own address stands for the gateway's; any other origin goes through as it is.
    const own = `http://localhost:${(proxy.address() as AddressInfo).port}`;
    const passed = { ...headers, authorization: `Bearer ${key}`, ...(origin !== undefined && origin !== own && { origin }) };
    const onward = request(`${gateway}${incoming.url}`, { method: incoming.method ?? 'POST', headers: passed }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => proxy.close());
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The checks of one scenario of the official suite. */
async function checksOf(scenario: string, revision: string, url: string): Promise<readonly Check[]> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const words = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', folder];
    const run = spawn(process.execPath, [SUITE, ...words], { stdio: 'ignore' });
    await new Promise((resolve) => run.on('close', resolve));
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('checks.json'));
    assert.ok(file, `${scenario} left no checks`);
    return JSON.parse(readFileSync(join(folder, file), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What can only be tried with tools that a test server has (`test_…`), none of which a business would want. */
const NEEDS_FIXTURE = /not testable|test_\w+/i;

const SCENARIOS: readonly (readonly [scenario: string, revision: string, least: number])[] = [
  ['server-stateless', '2026-07-28', 20],
  ['tools-list', '2026-07-28', 1],
  ['http-header-validation', '2026-07-28', 14],
  ['dns-rebinding-protection', '2026-07-28', 2],
  ['server-initialize', '2025-11-25', 1],
  ['ping', '2025-11-25', 1],
];

it('the MCP server passes the official conformance suite in both protocol versions', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { api } = await gateway.signUp();
  const { key } = (await api('POST', '/v1/api-keys', { name: 'Suite' })).body;
  const url = await withKey(t, gateway.node.url, key);
  for (const [scenario, revision, least] of SCENARIOS) {
    const checks = await checksOf(scenario, revision, url);
    const wrong = checks.filter(({ status, errorMessage = '' }) => status === 'FAILURE' && !NEEDS_FIXTURE.test(errorMessage));
    assert.deepEqual(wrong, [], `${scenario} ${revision}`);
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    assert.ok(passed >= least, `${scenario} ${revision}: ${passed} checks passed`);
  }
});
