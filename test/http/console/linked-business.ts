import assert from 'node:assert/strict';
import type { Sandbox } from '../../../actors/network/sandbox/sandbox.ts';
import { present } from '../../../runtime/invariant.ts';
import type { Node } from '../../../scripts/wiring/node.ts';
import { aWindow, type Window } from '../../support/browser.ts';
import { aServedConsole, signUpIn, until } from '../../support/console.ts';
import { type Api, calling } from '../../support/gateway.ts';
import type { Scope, StoreKind } from '../../support/stores.ts';

export const OWNER = '6281100000009';
export const ANNA = '6281211110001';
export const HOSTILE = '<img src=x onerror="document.title=1">';

/** What a person at a simulated phone writes to the business. */
export async function write(node: Node, from: string, body: string, to = OWNER): Promise<void> {
  const { status } = await fetch(`${node.url}/sandbox/phones/${from}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to, body }),
  });
  assert.ok(status < 300, `${status}`);
}

/** Calls the API as who is signed in in this window. */
export async function callIn({ page }: Window): Promise<Api> {
  const token = await page.evaluate<string>(
    `fetch('/console/session/refresh', { method: 'POST' }).then((answer) => answer.json()).then((answer) => answer.token)`,
  );
  return calling(new URL(page.url()).origin, { authorization: `Bearer ${token}` });
}

/** A business with a device that is online, and a window in which its owner is signed in. */
export async function aLinkedBusiness(scope: Scope, kind: StoreKind) {
  const node = await aServedConsole(scope, kind);
  const window = await aWindow(scope, node.url);
  return { node, ...(await linked(window, present(node.sandbox, 'the sandbox'))) };
}

/** Signs a business up in this window and links its device. */
export async function linked(window: Window, sandbox: Sandbox) {
  await signUpIn(window, { sandbox }, OWNER);
  const call = await callIn(window);
  const { id } = (await call('POST', '/v1/sessions', {})).body;
  await call('POST', `/v1/sessions/${id}/connect`);
  const qr = await until('a code', async () => (await call('GET', `/v1/sessions/${id}/qr`)).body.qr);
  sandbox.phone(OWNER).scan({ qr });
  await until('the device is online', async () => (await call('GET', `/v1/sessions/${id}`)).body.status === 'connected');
  return { window, call, device: id };
}

export const isLive = ({ page }: Pick<Window, 'page'>): Promise<void> => page.locator('[data-testid="live"][data-state="live"]').waitFor();
