import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceMove, NodeView } from '../../../actors/services/operations/operations.ts';

/** Exit code 1 means that a request was refused or failed; 2 means that arguments are invalid. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface PlacedDevice {
  readonly id: string;
  readonly name: string | null;
  readonly phone_number: string | null;
  readonly status: string;
  readonly node: string | null;
  readonly pinned_node: string | null;
}

export class Operator {
  readonly #url: string;
  readonly #secret: string;
  #session: string | null;

  /** `session` comes from an earlier `verify`. It may be null while two-factor sign-in is off. */
  constructor(url: string, secret: string, session: string | null = null) {
    this.#url = url.replace(/\/+$/, '');
    this.#secret = secret;
    this.#session = session;
  }

  /** Opens a session, which later calls use. Times are epoch ms. */
  async verify(code: string): Promise<OperatorSession> {
    const opened = await this.#call<OperatorSession>('POST', '/v1/admin/2fa/verify', { code });
    this.#session = opened.session;
    return opened;
  }

  async nodes(): Promise<readonly NodeView[]> {
    return (await this.#call<{ nodes: readonly NodeView[] }>('GET', '/v1/admin/nodes')).nodes;
  }

  async devices(): Promise<readonly PlacedDevice[]> {
    const found: PlacedDevice[] = [];
    for (let rest = ''; ; ) {
      const page = await this.#call<DevicePage>('GET', `/v1/admin/sessions?limit=200${rest}`);
      found.push(...page.sessions);
      if (page.next_before === null) return found;
      rest = `&before=${page.next_before}&before_id=${page.next_before_id}`;
    }
  }

  drain(node: string): Promise<NodeView> {
    return this.#call('POST', `/v1/admin/nodes/${encodeURIComponent(node)}/drain`);
  }

  undrain(node: string): Promise<NodeView> {
    return this.#call('POST', `/v1/admin/nodes/${encodeURIComponent(node)}/undrain`);
  }

  /** If `node` is null, the device moves to the node with the most capacity. */
  move(device: string, node: string | null): Promise<DeviceMove> {
    return this.#call('POST', `/v1/admin/sessions/${encodeURIComponent(device)}/move`, { node });
  }

  async rebalance(dryRun: boolean): Promise<readonly DeviceMove[]> {
    return (await this.#call<{ moves: readonly DeviceMove[] }>('POST', '/v1/admin/rebalance', { dry_run: dryRun })).moves;
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        'x-admin-secret': this.#secret,
        ...(this.#session !== null && { 'x-admin-session': this.#session }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new Failure(`No gateway answers at ${this.#url}. Start a node, or set its address with GATEWAY_URL or --url.`);
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    throw new Failure(this.#sentence(path, answer.status, text));
  }

  #sentence(path: string, status: number, text: string): string {
    if (status === 401 && /X-Admin-Session/i.test(text))
      return 'Two-factor sign-in is on. Run `npm run cluster -- sign-in CODE`, and set ADMIN_SESSION to the printed value.';
    if (status === 401 && path.endsWith('/2fa/verify') && !/X-Admin-Secret/i.test(text))
      return 'The code is wrong, was already used, or has expired. Try again with a new code.';
    if (status === 401)
      return `${this.#url} does not accept this operator's secret: set ADMIN_SECRET, or DATA_DIR to that node's data folder.`;
    const refused = /^\{.*"error":/.test(text) ? JSON.parse(text) : null;
    return refused ? `${refused.error} (${refused.code}).` : `${this.#url} answered ${status}. Check that a gateway is running there.`;
  }
}

export interface OperatorSession {
  readonly session: string;
  readonly expires_at: number;
}

interface DevicePage {
  readonly sessions: readonly PlacedDevice[];
  readonly next_before: number | null;
  readonly next_before_id: string | null;
}

/** Reads ADMIN_SECRET, or the file in a local node's DATA_DIR. Throws a Failure if both are missing. */
export function operatorSecret(env: NodeJS.ProcessEnv): string {
  if (env['ADMIN_SECRET']) return env['ADMIN_SECRET'];
  const file = join(env['DATA_DIR'] || './data', 'admin-secret');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Failure(
      `No operator's secret was found. Set ADMIN_SECRET, or set DATA_DIR to the data folder of a node (${file} cannot be read).`,
    );
  }
}
