/** Country codes of one or two digits; all others have three. */
const SHORT = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;
const FIRST = 3;
const GROUP = 4;

export function phoneText(digits: string): string {
  const code = SHORT.exec(digits)?.[0] ?? digits.slice(0, 3);
  const rest = digits.slice(code.length);
  const groups = [rest.slice(0, FIRST)];
  for (let from = FIRST; from < rest.length; from += GROUP) groups.push(rest.slice(from, from + GROUP));
  const last = groups.at(-1) ?? '';
  // Avoids a group that has only one digit.
  if (groups.length > 1 && last.length === 1) groups.splice(-2, 2, (groups.at(-2) ?? '') + last);
  return `+${[code, ...groups].filter(Boolean).join(' ')}`;
}
