/**
 * Links the two forms that a number has after a change of the numbering plan, because the network
 * still knows many people by the former one. Each former number has exactly one current form, which
 * belongs to the same subscriber.
 */

interface Change {
  readonly former: RegExp;
  readonly today: string;
  readonly now: RegExp;
  readonly before: string;
}

/** `pairs` lists national prefixes as `former>today`; `rest` is the number of digits that follow. */
const prefixes = (code: string, pairs: string, rest: number): readonly Change[] =>
  pairs.split(' ').map((pair) => {
    const [former = '', today = ''] = pair.split('>');
    return {
      former: new RegExp(`^${code}${former}(\\d{${rest}})$`),
      today: `${code}${today}$1`,
      now: new RegExp(`^${code}${today}(\\d{${rest}})$`),
      before: `${code}${former}$1`,
    };
  });

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  // Mexico: mobiles were +52 1 and ten digits until 3 August 2019 (IFT, DOF 11 May 2018).
  '52': prefixes('52', '1>', 10),
  // Argentina: abroad +54 9 and ten digits; the form without the 9 is also in use (ENACOM, ITU E.164).
  '54': prefixes('54', '>9', 10),
  // Brazil: mobiles have had a 9 before eight digits since 6 November 2016 (Anatel, Resolução 553/2010).
  '55': [{ former: /^55(\d\d)([6-9]\d{7})$/, today: '55$19$2', now: /^55(\d\d)9([6-9]\d{7})$/, before: '55$1$2' }],
  // Vietnam: eleven-digit mobiles have had ten digits since 15 September 2018 (MIC).
  '84': prefixes(
    '84',
    '120>70 121>79 122>77 126>76 128>78 123>83 124>84 125>85 127>81 129>82 ' +
      '162>32 163>33 164>34 165>35 166>36 167>37 168>38 169>39 186>56 188>58 199>59',
    7,
  ),
  // Ivory Coast: two operator digits have preceded the former eight since 31 January 2021 (ARTCI).
  '225': [
    { former: /^225([04-9][0-3]\d{6})$/, today: '22501$1', now: /^22501([04-9][0-3]\d{6})$/, before: '225$1' },
    { former: /^225([04-9][4-6]\d{6})$/, today: '22505$1', now: /^22505([04-9][4-6]\d{6})$/, before: '225$1' },
    { former: /^225([04-9][7-9]\d{6})$/, today: '22507$1', now: /^22507([04-9][7-9]\d{6})$/, before: '225$1' },
  ],
  // Gabon: operator digits replaced the 0 of mobiles in 2019 (ARCEP numbering plan).
  '241': prefixes('241', '02>62 05>65 06>66 04>74 07>77', 6),
  // Benin: 01 has preceded the former eight digits since 30 November 2024 (ARCEP Bénin).
  '229': prefixes('229', '>01', 8),
};

const changesOf = (digits: string): readonly Change[] => CHANGES[digits.slice(0, 3)] ?? CHANGES[digits.slice(0, 2)] ?? [];

export function todaysForm(digits: string): string | null {
  const change = changesOf(digits).find(({ former }) => former.test(digits));
  return change ? digits.replace(change.former, change.today) : null;
}

export function twinsOf(digits: string): readonly string[] {
  return changesOf(digits).flatMap(({ former, today, now, before }) => [
    ...(former.test(digits) ? [digits.replace(former, today)] : []),
    ...(now.test(digits) ? [digits.replace(now, before)] : []),
  ]);
}

export const FORMER_TRUNKS: Readonly<Record<string, RegExp>> = { '52': /^(?:01|044|045)(?=\d{10}$)/ };
