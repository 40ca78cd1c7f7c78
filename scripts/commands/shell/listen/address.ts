import type { Failure } from '../../cluster/operator.ts';
import { misunderstood } from '../command.ts';

export interface Address {
  readonly kind: Kind;
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  readonly username: string | null;
  readonly password: string | null;
  /** The decoded path without its first slash. */
  readonly path: string;
  readonly options: Readonly<Record<string, string>>;
  readonly shown: string;
}

export type Kind = 'http' | 'amqp' | 'redis' | 'nats' | 'mqtt' | 'kafka';

interface Scheme {
  readonly kind: Kind;
  readonly isTls: boolean;
  readonly port: number;
}

const NEEDS = 'listen';
const EXAMPLES = 'http://127.0.0.1:3000/hook or amqp://user@127.0.0.1/?exchange=gateway.events';
const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ['http', { kind: 'http', isTls: false, port: 80 }],
  ['https', { kind: 'http', isTls: true, port: 443 }],
  ['amqp', { kind: 'amqp', isTls: false, port: 5672 }],
  ['amqps', { kind: 'amqp', isTls: true, port: 5671 }],
  ['redis', { kind: 'redis', isTls: false, port: 6379 }],
  ['rediss', { kind: 'redis', isTls: true, port: 6379 }],
  ['nats', { kind: 'nats', isTls: false, port: 4222 }],
  ['natss', { kind: 'nats', isTls: true, port: 4222 }],
  ['mqtt', { kind: 'mqtt', isTls: false, port: 1883 }],
  ['mqtts', { kind: 'mqtt', isTls: true, port: 8883 }],
  ['kafka', { kind: 'kafka', isTls: false, port: 9092 }],
  ['kafkas', { kind: 'kafka', isTls: true, port: 9093 }],
]);

const NAME = /^[\w.:{}-]{1,200}$/;
/**
 * The options that the query of each kind of address may contain. The query of a web address is
 * kept as it is.
 */
const OPTIONS: Readonly<Record<Exclude<Kind, 'http'>, Readonly<Record<string, RegExp>>>> = {
  amqp: { exchange: NAME },
  // Keys that start with `gw:` belong to the gateway itself.
  redis: { stream: /^(?!gw:)[\w.:{}-]{1,200}$/, maxlen: /^[1-9]\d{0,14}$/, wait: /^[1-9]\d?$/ },
  nats: { subject: /^[\w-]+(\.[\w-]+)*$/ },
  mqtt: { topic: /^[\w-]+(\/[\w-]+)*$/ },
  kafka: { topic: /^[\w.-]{1,249}$/, sasl: /^(plain|scram-sha-256|scram-sha-512)$/ },
};
/** The path is an AMQP vhost or the number of a Redis database. */
const PATHS: Readonly<Partial<Record<Kind, RegExp>>> = { amqp: /^.{0,255}$/s, redis: /^\d{0,5}$/ };

/** The password comes from the environment, because other users can see process arguments. */
export function addressIn(to: string, password: string | undefined): Address {
  const url = URL.canParse(to) ? new URL(to) : null;
  const scheme = SCHEMES.get(url?.protocol.slice(0, -1) ?? '');
  if (!url || !scheme || url.hostname === '') throw misunderstood(`--to must be an address such as ${EXAMPLES}`, NEEDS);
  if (url.password !== '') throw misunderstood('--to must not contain a password; set GATEWAY_SINK_PASSWORD instead', NEEDS);
  const { kind } = scheme;
  const common = {
    ...scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || scheme.port,
    username: decoded(url.username) || null,
    password: password || null,
  };
  if (kind === 'http') {
    if (url.username !== '') throw misunderstood('--to must not contain a user in a web address', NEEDS);
    return { ...common, path: '', options: {}, shown: to };
  }
  const path = decoded(url.pathname.replace(/^\//, ''));
  if (!(PATHS[kind] ?? /^$/).test(path) || url.hash !== '') throw wrongPart(kind, `${url.pathname}${url.hash}`);
  return { ...common, path, options: optionsOf(kind, url.searchParams), shown: url.href };
}

/** Refuses to run without certificate checks, because keys and events could go to an impostor. */
export function expectCertificates(env: NodeJS.ProcessEnv): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw misunderstood(
    '--to does not work with NODE_TLS_REJECT_UNAUTHORIZED=0: instead, set NODE_EXTRA_CA_CERTS to the path of your CA certificate',
    NEEDS,
  );
}

function optionsOf(kind: Exclude<Kind, 'http'>, given: URLSearchParams): Readonly<Record<string, string>> {
  const options = Object.fromEntries(given);
  if (given.size !== Object.keys(options).length) throw misunderstood('--to contains the same option twice', NEEDS);
  for (const [name, value] of given) {
    const form = Object.hasOwn(OPTIONS[kind], name) ? OPTIONS[kind][name] : undefined;
    if (!form) throw misunderstood(`A ${kind} address takes only ${Object.keys(OPTIONS[kind]).join(', ')} as options`, NEEDS);
    if (!form.test(value)) throw wrongPart(kind, `${name}=${value}`);
  }
  return options;
}

const wrongPart = (kind: Kind, part: string): Failure => misunderstood(`A ${kind} address takes no ${JSON.stringify(part)}`, NEEDS);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw misunderstood('--to contains a % that is not followed by a valid code, such as %40', NEEDS);
  }
}
