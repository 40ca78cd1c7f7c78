import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the pages of this repository print between fences, and running it as a reader would. */

const ROOT = join(import.meta.dirname, '../../..');

/** The blocks of a page in one language, in their order. */
export function blocksOf(page: string, language: string): readonly string[] {
  const fenced = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm');
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(fenced)].map(([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** The blocks of a page that call the gateway. */
export const requestsOf = (page: string): readonly string[] => blocksOf(page, 'sh').filter((code) => code.includes('curl '));

/** Runs it in a shell that stops at the first failure; gives what it prints. */
export async function inShell(code: string, env: Readonly<Record<string, string>>, cwd: string): Promise<string> {
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, cwd, timeout: 60_000 };
  return (await promisify(execFile)('sh', ['-e', '-c', code], options)).stdout;
}
