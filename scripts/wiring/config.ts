import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import Joi from 'joi';
import { buildIn } from '../../actors/domain/client-build.ts';
import { type ComplaintLimits, complaintLimitsIn, DEFAULT_COMPLAINT_LIMITS } from '../../actors/domain/health/complaints.ts';
import { HABITS } from '../../actors/domain/network-habits.ts';
import { type Plans, plansFrom } from '../../actors/domain/plans.ts';
import type { CatalogSettings } from '../../actors/network/whatsapp/catalog/catalog-client.ts';
import { MEX_NAMES, type MexTable } from '../../actors/network/whatsapp/mex/mex-table.ts';
import { isAddressOrRange } from '../../runtime/address-ranges.ts';
import { asError, codeOf } from '../../runtime/errors.ts';
import type { Habit } from '../../store/devices/network-habits.ts';

/** What a node runs with. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** A listener of its own for /metrics; null: among the others. */
  readonly metrics_port: number | null;
  /** The public address in links; null: made of the two. */
  readonly base_url: string | null;
  readonly data_dir: string;
  readonly mongodb_url: string | null;
  readonly redis_url: string | null;
  readonly node_id: string;
  readonly network: 'sandbox' | 'whatsapp';
  readonly sandbox_url: string | null;
  /** Serves the in-process sandbox's API although `host` or `base_url` is not of this machine. Callers still have to be. */
  readonly sandbox_public: boolean;
  /** For who works on the console: it has its design page, and is compiled again for each page load. */
  readonly console_dev: boolean;
  /** Directory of the built console. No setting: null, unless the gateway runs from `dist/`. */
  readonly builtConsole: string | null;
  /** Another WebSocket address than the network's own, and the root key (hex) that its certificates are checked against: for a peer of tests. */
  readonly whatsapp_url: string | null;
  readonly whatsapp_root_key: string | null;
  /** How many messages of each chat are taken over when a phone links a device. */
  readonly whatsapp_history: number;
  /** `auto`, or the version of the network's web client that devices announce, `2.3000.<build>`. */
  readonly whatsapp_version: string;
  /** Another address than the network's own at which its current build is looked up; https, or loopback. */
  readonly whatsapp_version_url: string | null;
  /** Ids of the devices that may try a new build first; empty: any. */
  readonly whatsapp_canary: readonly string[];
  /** Bounds of complaints above which campaigns of a device pause. */
  readonly complaint_limits: ComplaintLimits;
  /** Habits on the wire that are switched on. */
  readonly network_habits: readonly Habit[];
  /** Ids of the network's stored questions, before our own. */
  readonly whatsapp_mex: Partial<MexTable>;
  /** Where the network's web client reads catalogues, and its token there: both or none; then nobody reads catalogues. */
  /** The official platform; null: the vendor's, or the sandbox's on that network. */
  readonly graph_url: string | null;
  readonly catalog_graphql_url: string | null;
  readonly catalog_graphql_token: string | null;
  readonly catalog_graphql_ids: CatalogSettings['ids'];
  readonly admin_secret: string | null;
  /** `name:secret` of each operator with a secret of their own. */
  readonly operators: readonly string[];
  readonly jwt_secret: string | null;
  /** Hex, 32 bytes: seals what devices log in with; null: a key made of the JWT secret does. */
  readonly secrets_key: string | null;
  /** Earlier ones, which still open what they sealed. */
  readonly secrets_keys_before: readonly string[];
  /** Hex, 32 bytes: signs the audit logs; null: a key made of the JWT secret does. */
  readonly audit_key: string | null;
  readonly log_level: string;
  /** Life of a lease; renewed at a third of it. */
  readonly lease_ttl_ms: number;
  /** Between two looks of the rebalancer at the cluster. */
  readonly rebalance_ms: number;
  /** Devices that a rebalance moves at once. */
  readonly max_moves: number;
  /** Logins a second that this node may start towards the network. */
  readonly logins_per_second: number;
  /** Messages that may wait for one device; one more is refused with OVERLOADED. */
  readonly queue_limit: number;
  /** `host:port` pairs that may receive what we send (webhooks) although they are private, also by plain http. */
  readonly egress_allow: readonly string[];
  /** The same for what we read by an address that a caller gives (files, documents). */
  readonly egress_allow_reads: readonly string[];
  /** Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` is believed. */
  readonly trusted_proxies: readonly string[];
  /** Origins (`https://app.example.com`) whose pages may call /v1 and /mcp beside our own. */
  readonly cors_origins: readonly string[];
  /** Live streams that may be open on this node: of one tenant, and of all. */
  readonly streams_per_tenant: number;
  readonly streams_per_node: number;
  /** Days that events are kept for those who pull and for streams that come back. */
  readonly events_days: number;
  /** Where browsers' push services find the operator: an `https:` or `mailto:` address; null: made of the base address. */
  readonly push_contact: string | null;
  /** `auto` (the host's, where there is one), `off`, or its path. */
  readonly media_ffmpeg: string;
  /** The bucket of an S3-compatible service that stores files; null: they are stored in `data_dir`. */
  readonly s3_bucket: string | null;
  /** The address of the service; null: Amazon's own. */
  readonly s3_endpoint: string | null;
  readonly s3_region: string;
  /** Both or none; null: what the surroundings give (AWS_* variables, the role of the machine). */
  readonly s3_access_key_id: string | null;
  readonly s3_secret_access_key: string | null;
  /** Before every key: '' or ending in `/`. */
  readonly s3_prefix: string;
  /** The bucket in the path rather than in the host name; null: yes, where there is an `s3_endpoint`. */
  readonly s3_path_style: boolean | null;
  /** An OpenAI-compatible endpoint with its `/v1`, and the model that answers there; both or none: then the local reader answers. */
  readonly ai_url: string | null;
  readonly ai_key: string | null;
  readonly ai_model: string | null;
  /** The model of its embeddings; null: passages are ranked by words alone. */
  readonly ai_embedding_model: string | null;
  readonly plans: Plans;
  /** Payment providers: each is off until its keys are set. The addresses name a test double. */
  readonly midtrans_server_key: string | null;
  readonly midtrans_url: string | null;
  readonly xendit_secret_key: string | null;
  readonly xendit_callback_token: string | null;
  readonly xendit_url: string | null;
  readonly stripe_secret_key: string | null;
  readonly stripe_webhook_secret: string | null;
  readonly stripe_url: string | null;
  /** Per cent on top of every price. */
  readonly billing_tax_percent: number;
  /** When the plan ends that a refunded payment bought. */
  readonly billing_refund_ends: 'now' | 'period_end';
}

/** Given or kept: a shorter one is none. */
export const MIN_SECRET_LENGTHS = { ADMIN_SECRET: 16, JWT_SECRET: 32 } as const;

const Secret = Joi.string().min(8).max(500).allow(null).default(null);
const Address = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .allow(null)
  .default(null);
const HostPorts = Joi.array()
  .items(Joi.string().pattern(/^(\[[\da-fA-F:.]+\]|[^\s:/@]+):\d{1,5}$/, 'host:port'))
  .default([]);
const StoredQuestion = Joi.string().pattern(/^\d{5,20}$/);

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;
const isHttpsOrHere = (address: string): boolean => {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || LOOPBACK_HOST.test(hostname);
};

/** Which key of the file an environment variable overrides: the same word in capitals. */
const KEYS = {
  host: Joi.string().hostname().default('127.0.0.1'),
  port: Joi.number().port().default(8080),
  metrics_port: Joi.number().port().allow(null).default(null),
  base_url: Address,
  data_dir: Joi.string().default('./data'),
  mongodb_url: Joi.string()
    .uri({ scheme: ['mongodb', 'mongodb+srv'] })
    .allow(null)
    .default(null),
  redis_url: Joi.string()
    .uri({ scheme: ['redis', 'rediss'] })
    .allow(null)
    .default(null),
  node_id: Joi.string()
    .pattern(/^[\w.-]{1,64}$/)
    .default(() => hostname()),
  network: Joi.string().valid('sandbox', 'whatsapp').default('sandbox'),
  sandbox_url: Joi.string()
    .uri({ scheme: ['http'] })
    .allow(null)
    .default(null),
  sandbox_public: Joi.boolean().truthy('1', 1).falsy('0', 0).default(false),
  console_dev: Joi.boolean().truthy('1', 1).falsy('0', 0).default(false),
  whatsapp_url: Joi.string()
    .uri({ scheme: ['ws', 'wss'] })
    .allow(null)
    .default(null),
  whatsapp_root_key: Joi.string().hex().length(64).allow(null).default(null),
  whatsapp_history: Joi.number().integer().min(0).max(1_000).default(0),
  whatsapp_version: Joi.string()
    .custom((text: string, { error }) => (text === 'auto' || buildIn(text) !== null ? text : error('any.invalid')))
    .messages({ 'any.invalid': '{{#label}} must be auto or a version such as 2.3000.1043857760' })
    .default('auto'),
  whatsapp_version_url: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .custom((text: string, { error }) => (isHttpsOrHere(text) ? text : error('any.invalid')))
    .messages({ 'any.invalid': '{{#label}} must be an https address (http only on this machine)' })
    .allow(null)
    .default(null),
  whatsapp_canary: Joi.array()
    .items(Joi.string().pattern(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'id of a session'))
    .default([]),
  complaint_limits: Joi.string()
    .custom((text: string, { error }) => complaintLimitsIn(text) ?? error('any.invalid'))
    .messages({
      'any.invalid':
        '{{#label}} must name bounds such as optouts:20,blocks:5,first:0.8,lookups:0.3 (of 1,000 messages; shares up to 1; off: not checked)',
    })
    .default({ ...DEFAULT_COMPLAINT_LIMITS }),
  network_habits: Joi.array()
    .items(Joi.string().valid(...HABITS))
    .default([...HABITS]),
  whatsapp_mex: Joi.object()
    .pattern(Joi.valid(...MEX_NAMES), Joi.array().items(StoredQuestion).max(10))
    .default({}),
  graph_url: Address,
  catalog_graphql_url: Address,
  catalog_graphql_token: Secret,
  catalog_graphql_ids: Joi.object({
    products: StoredQuestion.default('30445081048424116'),
    collections: StoredQuestion.default('9430970660362540'),
  }).default(),
  admin_secret: Joi.string().min(MIN_SECRET_LENGTHS.ADMIN_SECRET).allow(null).default(null),
  operators: Joi.array()
    .items(
      Joi.string()
        .pattern(/^[\w.-]{1,40}:.{16,}$/)
        // Joi's own message shows the value.
        .messages({ 'string.pattern.base': '{{#label}} must be name:secret, the secret at least 16 characters' }),
    )
    .default([]),
  jwt_secret: Joi.string().min(MIN_SECRET_LENGTHS.JWT_SECRET).allow(null).default(null),
  secrets_key: Joi.string().hex().length(64).allow(null).default(null),
  secrets_keys_before: Joi.array().items(Joi.string().hex().length(64)).default([]),
  audit_key: Joi.string().hex().length(64).allow(null).default(null),
  log_level: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  lease_ttl_ms: Joi.number().integer().min(500).max(120_000).default(10_000),
  rebalance_ms: Joi.number().integer().min(50).max(60_000).default(1_000),
  max_moves: Joi.number().integer().positive().max(1_000).default(10),
  logins_per_second: Joi.number().positive().max(10_000).default(200),
  queue_limit: Joi.number().integer().positive().default(100_000),
  egress_allow: HostPorts,
  egress_allow_reads: HostPorts,
  trusted_proxies: Joi.array()
    .items(Joi.string().custom((text: string, { error }) => (isAddressOrRange(text) ? text : error('any.invalid'))))
    .default([]),
  cors_origins: Joi.array()
    .items(Joi.string().pattern(/^https?:\/\/(\[[\da-fA-F:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/, 'origin such as https://app.example.com'))
    .default([]),
  streams_per_tenant: Joi.number().integer().positive().default(20),
  streams_per_node: Joi.number().integer().positive().default(5_000),
  events_days: Joi.number().integer().min(1).max(7).default(1),
  media_ffmpeg: Joi.string()
    .pattern(/^(auto|off|\/.+)$/, '`auto`, `off`, or an absolute path')
    .default('auto'),
  s3_bucket: Joi.string()
    .pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'bucket name')
    .allow(null)
    .default(null),
  s3_endpoint: Address,
  s3_region: Joi.string().default('us-east-1'),
  s3_access_key_id: Joi.string().allow(null).default(null),
  s3_secret_access_key: Joi.string().allow(null).default(null),
  s3_prefix: Joi.string()
    .allow('')
    .pattern(/^([\w.-]+\/)*$/, 'ending in /')
    .default(''),
  s3_path_style: Joi.boolean().allow(null).default(null),
  push_contact: Joi.string()
    .uri({ scheme: ['https', 'mailto'] })
    .allow(null)
    .default(null),
  ai_url: Address,
  ai_key: Joi.string().max(500).allow(null).default(null),
  ai_model: Joi.string().max(200).allow(null).default(null),
  ai_embedding_model: Joi.string().max(200).allow(null).default(null),
  midtrans_server_key: Secret,
  midtrans_url: Address,
  xendit_secret_key: Secret,
  xendit_callback_token: Secret,
  xendit_url: Address,
  stripe_secret_key: Secret,
  stripe_webhook_secret: Secret,
  stripe_url: Address,
  billing_tax_percent: Joi.number().min(0).max(100).precision(2).default(0),
  billing_refund_ends: Joi.string().valid('now', 'period_end').default('now'),
};
/** Written with commas in the environment. */
const LISTS: ReadonlySet<string> = new Set([
  'operators',
  'trusted_proxies',
  'egress_allow',
  'egress_allow_reads',
  'secrets_keys_before',
  'cors_origins',
  'whatsapp_canary',
  'network_habits',
]);
/** Written as JSON there. */
const OBJECTS: ReadonlySet<string> = new Set(['whatsapp_mex', 'catalog_graphql_ids']);
const SCHEMA = Joi.object(KEYS);

/** The environment variables that a node reads. */
export const VARIABLES: readonly string[] = Object.keys(KEYS).map((key) => key.toUpperCase());

/** In the working directory. */
export const CONFIG_FILE = 'cluster.config.json';

/**
 * Reads `file` and lets `env` override single values. Throws an Error of one sentence that names the bad value, and of another where a value
 * asks for a part of the system that does not exist yet.
 */
export function readConfig(env: NodeJS.ProcessEnv, file = CONFIG_FILE): Config {
  const { plans, ...fromFile } = readFile(file);
  const fromEnv = Object.fromEntries(
    Object.keys(KEYS).flatMap((key) => {
      const value = env[key.toUpperCase()];
      if (value === undefined || value === '') return [];
      return [[key, valueIn(key, value)]];
    }),
  );
  const { value, error } = SCHEMA.validate(
    { ...fromFile, ...fromEnv },
    { messages: SENTENCES, errors: { wrap: { label: false, array: false } } },
  );
  if (error) throw new Error(`The configuration is not valid: ${error.message} (from ${source(error, fromEnv, file)}).`);
  return supported({ ...value, builtConsole: null, plans: plansFrom(plans) });
}

/** In place of Joi's own words, which show patterns, and of secrets the value. */
const SENTENCES: Readonly<Record<string, string>> = {
  'any.only': '{{#label}} must be one of: {{#valids}}',
  'any.invalid': '{{#label}} has a value that is not taken',
  'object.unknown': '{{#label}} is not a known setting',
  'string.base': '{{#label}} must be a text',
  'string.empty': '{{#label}} must not be empty',
  'string.min': '{{#label}} must have at least {{#limit}} characters',
  'string.max': '{{#label}} must have at most {{#limit}} characters',
  'string.length': '{{#label}} must have exactly {{#limit}} characters',
  'string.pattern.base': '{{#label}} does not have the right form',
  'string.uri': '{{#label}} must be a whole address, with its scheme',
  'string.uriCustomScheme': '{{#label}} must be a whole address, with its scheme',
  'number.port': '{{#label}} must be a number from 0 to 65535',
  'number.min': '{{#label}} must be at least {{#limit}}',
  'number.max': '{{#label}} must be at most {{#limit}}',
  'number.integer': '{{#label}} must be a whole number',
};

/** The value of an environment variable, as the file would have it. */
function valueIn(key: string, text: string): unknown {
  if (LISTS.has(key)) return text.split(',').map((one) => one.trim());
  if (!OBJECTS.has(key)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readFile(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return {};
    throw new Error(`${file} cannot be read: ${asError(cause).message}.`);
  }
}

function source(error: Joi.ValidationError, fromEnv: Record<string, unknown>, file: string): string {
  const key = String(error.details[0]?.path[0] ?? '');
  return key in fromEnv ? `the environment variable ${key.toUpperCase()}` : file;
}

/** What one value demands of the others. */
function supported(config: Config): Config {
  if (config.redis_url && !config.mongodb_url)
    throw new Error('REDIS_URL is set, but MONGODB_URL is not: nodes of a cluster share one store.');
  if ((config.s3_access_key_id === null) !== (config.s3_secret_access_key === null))
    throw new Error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together: one of them is not set.');
  if ((config.catalog_graphql_url === null) !== (config.catalog_graphql_token === null))
    throw new Error('CATALOG_GRAPHQL_URL and CATALOG_GRAPHQL_TOKEN go together: one of them is not set.');
  if ((config.ai_url === null) !== (config.ai_model === null)) throw new Error('AI_URL and AI_MODEL go together: one of them is not set.');
  if (config.ai_embedding_model !== null && config.ai_url === null) throw new Error('AI_EMBEDDING_MODEL is set, but AI_URL is not.');
  expectPaymentKeys(config);
  for (const secret of ['admin_secret', 'jwt_secret'] as const) {
    if (config.redis_url && !config[secret])
      throw new Error(`REDIS_URL is set, but ${secret.toUpperCase()} is not: every node of a cluster needs the same.`);
  }
  return config;
}

/** Each provider's keys go together, and keys of a test mode never stand beside live ones: money would be counted that nobody paid. */
function expectPaymentKeys(config: Config): void {
  if ((config.xendit_secret_key === null) !== (config.xendit_callback_token === null))
    throw new Error('XENDIT_SECRET_KEY and XENDIT_CALLBACK_TOKEN go together: one of them is not set.');
  if ((config.stripe_secret_key === null) !== (config.stripe_webhook_secret === null))
    throw new Error('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET go together: one of them is not set.');
  const keys = [
    { name: 'MIDTRANS_SERVER_KEY', key: config.midtrans_server_key, isTest: /^SB-/ },
    { name: 'XENDIT_SECRET_KEY', key: config.xendit_secret_key, isTest: /^xnd_development_/ },
    { name: 'STRIPE_SECRET_KEY', key: config.stripe_secret_key, isTest: /^[a-z]+_test_/ },
  ].filter(({ key }) => key !== null);
  const [test, live] = [true, false].map((mode) => keys.find(({ key, isTest }) => isTest.test(key ?? '') === mode)?.name);
  if (test && live) throw new Error(`${test} is a key of a test mode, but ${live} is a live one: use one kind.`);
}

/** Is the API of an in-process sandbox to be had at all? A gateway that others reach does not show it unless told to. */
export function isSandboxServed({ host, base_url, sandbox_public }: Pick<Config, 'host' | 'base_url' | 'sandbox_public'>): boolean {
  const isHere = LOOPBACK_HOST.test(host) && (base_url === null || LOOPBACK_HOST.test(new URL(base_url).hostname));
  return isHere || sandbox_public;
}
