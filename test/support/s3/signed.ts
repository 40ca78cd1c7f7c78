import type { IncomingMessage } from 'node:http';
import { AwsV4Signer } from 'aws4fetch';

export const ACCESS_KEY = 'AKIDTESTSONLY';
export const SECRET_KEY = 'a-secret-key-that-no-log-may-show';
const REGION = 'us-east-1';

/** An error response of the server. */
export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/**
 * Rejects requests without a valid Signature Version 4 in headers or query. An independent signer computes the
 * expected signature.
 */
export async function expectSigned(request: IncomingMessage, url: URL): Promise<void> {
  const isInQuery = url.searchParams.has('X-Amz-Signature');
  const given = isInQuery ? inQuery(url) : inHeader(request);
  if (isInQuery) expectInTime(url);
  const signed = await signedAnew(request, url, given, isInQuery);
  const signature = isInQuery ? signed.url.searchParams.get('X-Amz-Signature') : signatureIn(signed.headers.get('authorization') ?? '');
  if (signature !== given.signature) throw new S3Refusal(403, 'SignatureDoesNotMatch');
}

interface Given {
  readonly signature: string;
  readonly datetime: string;
  readonly names: readonly string[];
}

function inQuery({ searchParams: query }: URL): Given {
  expectCredential(query.get('X-Amz-Credential') ?? '');
  const names = (query.get('X-Amz-SignedHeaders') ?? '').split(';');
  return { signature: query.get('X-Amz-Signature') ?? '', datetime: query.get('X-Amz-Date') ?? '', names };
}

function inHeader({ headers }: IncomingMessage): Given {
  const text = headers.authorization ?? '';
  expectCredential(/Credential=([^,]+)/.exec(text)?.[1] ?? '');
  if (headers['x-amz-content-sha256'] === undefined) throw new S3Refusal(400, 'MissingContentSHA256');
  const names = (/SignedHeaders=([^,]+)/.exec(text)?.[1] ?? '').split(';');
  return { signature: signatureIn(text), datetime: String(headers['x-amz-date']), names };
}

const signatureIn = (text: string): string => /Signature=(\w+)/.exec(text)?.[1] ?? '';

function expectCredential(text: string): void {
  const [key, , region, service] = text.split('/');
  if (key !== ACCESS_KEY || region !== REGION || service !== 's3') throw new S3Refusal(403, 'InvalidAccessKeyId');
}

function expectInTime({ searchParams: query }: URL): void {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
  const from = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  if (!(Date.now() < from + Number(query.get('X-Amz-Expires')) * 1_000)) throw new S3Refusal(403, 'AccessDenied');
}

/** Signs the same request again, with only the headers that were signed. */
function signedAnew({ method = '', headers }: IncomingMessage, url: URL, { datetime, names }: Given, signQuery: boolean) {
  const bare = new URL(url);
  for (const name of ['X-Amz-Signature', 'X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Date', 'X-Amz-SignedHeaders'])
    bare.searchParams.delete(name);
  const kept = names.filter((name) => name !== 'host').map((name): [string, string] => [name, String(headers[name] ?? '')]);
  const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, service: 's3', region: REGION };
  return new AwsV4Signer({ method, url: bare.href, headers: kept, datetime, signQuery, allHeaders: true, ...credentials }).sign();
}
