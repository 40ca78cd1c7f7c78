import type { TemplateState } from '../protocol.ts';

/** The test double's state: accounts, numbers, apps, templates and files, in memory. */

export interface GraphTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  category: string;
  status: TemplateState;
  readonly parameterFormat: string;
  components: readonly Readonly<Record<string, unknown>>[];
  reason: string;
}

export interface GraphApp {
  readonly id: string;
  readonly secret: string;
  callback: { readonly url: string; readonly verifyToken: string; readonly fields: readonly string[] } | null;
}

export interface GraphAccount {
  readonly id: string;
  readonly subscribed: Set<string>;
  /** If false, the account accepts the app's subscription, but sends it no webhooks. */
  takesApps: boolean;
  readonly templates: Map<string, GraphTemplate>;
}

export interface SendFault {
  readonly code?: number;
  /** HTTP status to return without a Graph error. */
  readonly http?: number;
  /** Whether the connection closes after or before the message is accepted. */
  readonly drop?: 'after_body' | 'before_body';
  /** Whether the message is accepted at first, and the error is reported later in a status. */
  readonly late?: boolean;
  readonly held?: 'released' | 'dropped';
  times: number;
}

export interface GraphNumber {
  readonly id: string;
  readonly digits: string;
  readonly account: GraphAccount;
  readonly app: GraphApp;
  readonly token: string;
  name: string;
  status: string;
  quality: string;
  tier: number | null;
  pin: string | null;
  /** Times of the registrations in the last 72 hours, and when the next one is allowed. */
  registrations: readonly number[];
  registerFrom: number;
  isTokenValid: boolean;
  readonly windows: Map<string, number>;
  /** Numbers of the people that this number blocked. Their messages are not delivered, in both directions. */
  readonly blocked: Set<string>;
  profile: Readonly<Record<string, unknown>>;
  faults: SendFault[];
}

export interface GraphFile {
  readonly id: string;
  readonly bytes: Buffer;
  readonly type: string;
  readonly sha256: string;
}

export interface GraphRequest {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly token: string | null;
  readonly body: Readonly<Record<string, unknown>>;
  readonly file?: { readonly bytes: Buffer; readonly type: string };
}

export interface GraphAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly bytes?: GraphFile;
  readonly drop?: true;
}

const TYPE = 'OAuthException';

export function graphError(code: number, details: string, status = code === 190 || code === 0 ? 401 : 400): GraphAnswer {
  const message = `(#${code}) ${details}`;
  return {
    status,
    body: {
      error: { message, type: TYPE, code, error_data: { messaging_product: 'whatsapp', details }, fbtrace_id: `A${code}trace` },
    },
  };
}

export const businessScopedId = (digits: string): string => `ID.${[...digits].reverse().join('')}${digits.length}`;
