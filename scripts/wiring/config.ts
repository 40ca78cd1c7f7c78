import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import Joi from 'joi';
import { buildIn } from '../../actors/domain/client-build.ts';
import { type ComplaintLimits, complaintLimitsIn, DEFAULT_COMPLAINT_LIMITS } from '../../actors/domain/health/complaints.ts';
import { HABITS } from '../../actors/domain/network-habits.ts';
import { OTHER_GATEWAYS, type OtherGateway } from '../../actors/domain/other-gateways.ts';
import { type Plans, plansFrom } from '../../actors/domain/plans.ts';
import type { CatalogSettings } from '../../actors/network/whatsapp/catalog/catalog-client.ts';
import { MEX_NAMES, type MexTable } from '../../actors/network/whatsapp/mex/mex-table.ts';
import { isAddressOrRange } from '../../runtime/address-ranges.ts';
import { asError, codeOf } from '../../runtime/errors.ts';
import type { Habit } from '../../store/devices/network-habits.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Null to serve /metrics on the main listener. */
  readonly metrics_port: number | null;
  /** Null to build the address for links from `host` and `port`. */
  readonly base_url: string | null;
  readonly data_dir: string;
  readonly mongodb_url: string | null;
  readonly redis_url: string | null;
  readonly node_id: string;
  readonly network: 'sandbox' | 'whatsapp';
  readonly sandbox_url: string | null;
  /** Serves the API of the in-process sandbox even if `host` or `base_url` is not local. */
  readonly sandbox_public: boolean;
  readonly console_dev: boolean;
  /** Null unless the gateway runs from `dist/`. This is not a setting. */
  readonly builtConsole: string | null;
  /** WebSocket address of a test peer, and the root key (hex) of its certificates. */
  readonly whatsapp_url: string | null;
  readonly whatsapp_root_key: string | null;
  readonly whatsapp_history: number;
  /** `auto`, or the version of the web client that devices announce (`2.3000.<build>`). */
  readonly whatsapp_version: string;
  /**
   * Another address from which to read the network's current build. Must use https or be on this
   * machine.
   */
  readonly whatsapp_version_url: string | null;
  /** Ids of the devices that may be the first to try a new build; empty to allow any device. */
  readonly whatsapp_canary: readonly string[];
  readonly complaint_limits: ComplaintLimits;
  readonly network_habits: readonly Habit[];
  readonly whatsapp_mex: Partial<MexTable>;
  /** Null to use the vendor's own platform or, on the sandbox network, that of the sandbox. */
  readonly graph_url: string | null;
  /**
   * Catalog endpoint of the network's web client. Catalogs are available only if this address and
   * the token are set.
   */
  readonly catalog_graphql_url: string | null;
  readonly catalog_graphql_token: string | null;
  readonly catalog_graphql_ids: CatalogSettings['ids'];
  readonly admin_secret: string | null;
  /** `name:secret` for each operator who has a secret of their own. */
  readonly operators: readonly string[];
  readonly jwt_secret: string | null;
  /** 32 bytes in hex. Seals device credentials; null to use a key derived from the JWT secret. */
  readonly secrets_key: string | null;
  readonly secrets_keys_before: readonly string[];
  /** 32 bytes in hex. Signs the audit logs; null to use a key derived from the JWT secret. */
  readonly audit_key: string | null;
  readonly log_level: string;
  /** Lifetime of a lease in ms. Leases are renewed after a third of it. */
  readonly lease_ttl_ms: number;
  readonly rebalance_ms: number;
  readonly max_moves: number;
  readonly logins_per_second: number;
  /** Maximum number of queued messages per device. Further messages fail with OVERLOADED. */
  readonly queue_limit: number;
  /** Private `host:port` pairs to which the gateway may send webhooks, even over plain http. */
  readonly egress_allow: readonly string[];
  /** Private `host:port` pairs from which the gateway may read files and documents for callers. */
  readonly egress_allow_reads: readonly string[];
  readonly trusted_proxies: readonly string[];
  /** Origins whose pages may call /v1 and /mcp, in addition to the gateway's own. */
  readonly cors_origins: readonly string[];
  readonly compat: readonly OtherGateway[];
  readonly streams_per_tenant: number;
  readonly streams_per_node: number;
  readonly events_days: number;
  /** Operator contact for push services (`https:` or `mailto:`); null to use the base address. */
  readonly push_contact: string | null;
  /** `auto` (the host's ffmpeg, if installed), `off`, or a path. */
  readonly media_ffmpeg: string;
  /** Null to store files in `data_dir`. */
  readonly s3_bucket: string | null;
  readonly s3_endpoint: string | null;
  readonly s3_region: string;
  /** Null to use the environment's credentials (AWS_* variables, machine role). */
  readonly s3_access_key_id: string | null;
  readonly s3_secret_access_key: string | null;
  /** Prefix of every key, which is empty or ends in `/`. */
  readonly s3_prefix: string;
  /** Whether URLs contain the bucket in the path. Null means only if `s3_endpoint` is set. */
  readonly s3_path_style: boolean | null;
  /** An OpenAI-compatible endpoint, including `/v1`; null to use the local reader. */
  readonly ai_url: string | null;
  readonly ai_key: string | null;
  readonly ai_model: string | null;
  /** Null to rank passages only by their words. */
  readonly ai_embedding_model: string | null;
  readonly plans: Plans;
  /** Each payment provider is off until its keys are set. The addresses are for test doubles. */
  readonly midtrans_server_key: string | null;
  readonly midtrans_url: string | null;
  readonly xendit_secret_key: string | null;
  readonly xendit_callback_token: string | null;
  readonly xendit_url: string | null;
  readonly stripe_secret_key: string | null;
  readonly stripe_webhook_secret: string | null;
  readonly stripe_url: string | null;
  readonly billing_tax_percent: number;
  readonly billing_refund_ends: 'now' | 'period_end';
}

/** Minimum lengths. A shorter secret counts as missing. */
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
        // Replaces Joi's default message, which would show the secret.
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
  compat: Joi.array()
    .items(Joi.string().valid(...OTHER_GATEWAYS))
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
const LISTS: ReadonlySet<string> = new Set(Object.entries(KEYS).flatMap(([name, { type }]) => (type === 'array' ? [name] : [])));
const OBJECTS: ReadonlySet<string> = new Set(['whatsapp_mex', 'catalog_graphql_ids']);
const SCHEMA = Joi.object(KEYS);

export const VARIABLES: readonly string[] = Object.keys(KEYS).map((key) => key.toUpperCase());

export const CONFIG_FILE = 'cluster.config.json';

/** Variables in `env` override `file`. Throws an Error with one sentence that names invalid settings. */
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

/** Replaces Joi's default messages, which show patterns and the values of secrets. */
const SENTENCES: Readonly<Record<string, string>> = {
  'any.only': '{{#label}} must be one of: {{#valids}}',
  'any.invalid': '{{#label}} has a value that is not accepted',
  'object.unknown': '{{#label}} is not a known setting',
  'string.base': '{{#label}} must be a text',
  'string.empty': '{{#label}} must not be empty',
  'string.min': '{{#label}} must have at least {{#limit}} characters',
  'string.max': '{{#label}} must have at most {{#limit}} characters',
  'string.length': '{{#label}} must have exactly {{#limit}} characters',
  'string.pattern.base': '{{#label}} has the wrong format',
  'string.uri': '{{#label}} must be a complete address, including its scheme',
  'string.uriCustomScheme': '{{#label}} must be a complete address, including its scheme',
  'number.port': '{{#label}} must be a number from 0 to 65535',
  'number.min': '{{#label}} must be at least {{#limit}}',
  'number.max': '{{#label}} must be at most {{#limit}}',
  'number.integer': '{{#label}} must be a whole number',
};

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

function supported(config: Config): Config {
  if (config.redis_url && !config.mongodb_url)
    throw new Error('REDIS_URL is set, but MONGODB_URL is not. The nodes of a cluster share one store.');
  if ((config.s3_access_key_id === null) !== (config.s3_secret_access_key === null))
    throw new Error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together, but one of them is missing.');
  if ((config.catalog_graphql_url === null) !== (config.catalog_graphql_token === null))
    throw new Error('CATALOG_GRAPHQL_URL and CATALOG_GRAPHQL_TOKEN must be set together, but one of them is missing.');
  if ((config.ai_url === null) !== (config.ai_model === null))
    throw new Error('AI_URL and AI_MODEL must be set together, but one of them is missing.');
  if (config.ai_embedding_model !== null && config.ai_url === null) throw new Error('AI_EMBEDDING_MODEL is set, but AI_URL is not.');
  expectPaymentKeys(config);
  for (const secret of ['admin_secret', 'jwt_secret'] as const) {
    if (config.redis_url && !config[secret])
      throw new Error(`REDIS_URL is set, but ${secret.toUpperCase()} is not. All nodes of a cluster need the same value.`);
  }
  return config;
}

/** Rejects a mix of test keys and live keys, because test payments would then count as real. */
function expectPaymentKeys(config: Config): void {
  if ((config.xendit_secret_key === null) !== (config.xendit_callback_token === null))
    throw new Error('XENDIT_SECRET_KEY and XENDIT_CALLBACK_TOKEN must be set together, but one of them is missing.');
  if ((config.stripe_secret_key === null) !== (config.stripe_webhook_secret === null))
    throw new Error('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together, but one of them is missing.');
  const keys = [
    { name: 'MIDTRANS_SERVER_KEY', key: config.midtrans_server_key, isTest: /^SB-/ },
    { name: 'XENDIT_SECRET_KEY', key: config.xendit_secret_key, isTest: /^xnd_development_/ },
    { name: 'STRIPE_SECRET_KEY', key: config.stripe_secret_key, isTest: /^[a-z]+_test_/ },
  ].filter(({ key }) => key !== null);
  const [test, live] = [true, false].map((mode) => keys.find(({ key, isTest }) => isTest.test(key ?? '') === mode)?.name);
  if (test && live) throw new Error(`${test} is a test key, but ${live} is a live key. Use keys of the same mode.`);
}

export function isSandboxServed({ host, base_url, sandbox_public }: Pick<Config, 'host' | 'base_url' | 'sandbox_public'>): boolean {
  const isHere = LOOPBACK_HOST.test(host) && (base_url === null || LOOPBACK_HOST.test(new URL(base_url).hostname));
  return isHere || sandbox_public;
}
