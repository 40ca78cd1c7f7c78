import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';

export interface EngineAnswer {
  readonly answer: SafeText | null;
  readonly sources: readonly number[];
  readonly handoff: boolean;
}

const NO_ANSWER: EngineAnswer = { answer: null, sources: [], handoff: false };

export const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    answer: { type: ['string', 'null'] },
    sources: { type: 'array', items: { type: 'integer' } },
    handoff: { type: 'boolean' },
  },
  required: ['answer', 'sources', 'handoff'],
  additionalProperties: false,
} as const;

/** Reads the engine's JSON, even inside reasoning or code fences. Unreadable text counts as no answer. */
export function readAnswer(content: string): EngineAnswer {
  const text = withoutThoughts(content);
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    if (typeof value !== 'object' || value === null) return NO_ANSWER;
    const { answer, sources, handoff } = { answer: null, sources: [], handoff: false, ...value };
    return {
      answer: typeof answer === 'string' ? safeText(answer) : null,
      sources: Array.isArray(sources) ? sources.filter((one: unknown): one is number => Number.isInteger(one)) : [],
      handoff: handoff === true,
    };
  } catch {
    return NO_ANSWER;
  }
}

const [OPENS, CLOSES] = ['<think>', '</think>'];

/** Written without a regular expression, which would rescan the text for each unclosed tag. */
function withoutThoughts(content: string): string {
  let [text, from] = ['', 0];
  for (;;) {
    const start = content.indexOf(OPENS, from);
    const end = start < 0 ? -1 : content.indexOf(CLOSES, start);
    if (end < 0) return text + content.slice(from);
    text += content.slice(from, start);
    from = end + CLOSES.length;
  }
}
