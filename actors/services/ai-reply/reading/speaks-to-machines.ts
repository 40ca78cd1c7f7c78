import { fairSlices } from '../../../../runtime/fair-slices.ts';
import { inChunks } from '../../../../runtime/in-chunks.ts';
import { normalized, type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import type { Passage } from './reading.ts';

const PATTERNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b(?:\s+\w+){0,4}\s+(?:instructions?|prompts?|rules?|directions?|guidelines?|context)\b/,
  /\b(?:abaikan|lupakan|hiraukan|kesampingkan|langgar)\b(?:\s+\w+){0,4}\s+(?:instruksi|perintah|aturan|petunjuk|arahan|prompt)\b/,
  /\b(?:new|updated|real|instruksi|perintah)\s+(?:system\s+)?(?:instructions?|baru)\s*:/,
  /\byou are (?:now|no longer)\b.{0,40}\b(?:ai|assistant|bot|model|dan|unrestricted)\b/,
  /\b(?:kamu|anda) (?:sekarang|bukan lagi)\b.{0,40}\b(?:ai|asisten|bot|model)\b/,
  /\b(?:reveal|print|show|repeat|bocorkan|tampilkan)\b.{0,30}\b(?:system prompt|hidden prompt|your prompt|your instructions|prompt sistem)\b/,
  /<\|(?:im_start|im_end|system|user|assistant)\|>|\[\/?inst\]|<<\/?sys>>|(?:^|\n) ?(?:#+\s*)?system\s*:/,
];

/** Whether a text addresses an AI. Used only to warn the owner; engine/grounding.ts protects the answers. */
export function speaksToMachines(text: SafeText): boolean {
  const plain = normalized(text, 'NFKC')
    .replace(/[\p{Cf}\p{Co}]/gu, '')
    .toLowerCase()
    .replace(/[^\S\n]+/g, ' ');
  return PATTERNS.some((pattern) => pattern.test(plain));
}

/** Passages per time slice. A passage with many composed letters can take a millisecond to check. */
const TOGETHER = 20;

export async function anySpeaksToMachines(tenantId: string, passages: readonly Passage[]): Promise<boolean> {
  for (const some of inChunks(passages, TOGETHER)) {
    await fairSlices.turn(tenantId);
    if (some.some(({ heading, text }) => speaksToMachines(safeText(`${heading}\n${text}`)))) return true;
  }
  return false;
}
