import type { BoundArea } from '../core/bind.ts';
import { steps } from './guide.ts';

export function llmsText(areas: readonly BoundArea[], address: string): string {
  const begin = steps(address).map(([en, , code], nth) => `${nth + 1}. ${en}:\n\n${code.replace(/^/gm, '    ')}`);
  const list = areas.map(({ name, about, rows }) =>
    [`## ${name}`, '', `${about}`, '', ...rows.map(({ facts }) => `- ${facts.method} ${facts.path}: ${facts.summary}`)].join('\n'),
  );
  return [
    '# Business Messaging Gateway',
    '',
    '> A REST API to send and receive messages through linked phones. Bodies are JSON; send `Authorization: Bearer <token or API key>`.',
    '',
    `Complete descriptions: [OpenAPI 3.1](${address}/openapi.json), [for people](${address}/docs/api), [guides](${address}/docs/). AI agents: POST ${address}/mcp.`,
    '',
    '## Quick start on the sandbox',
    '',
    ...begin,
    '',
    ...list,
    '',
  ].join('\n');
}
