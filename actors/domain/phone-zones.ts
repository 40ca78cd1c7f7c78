import { factsOf } from './phone-numbers.ts';

export const OF_THE_BUSINESS = 'business';

type Prefixes = Readonly<Record<string, string>>;

/** Area codes by time zone. Unlisted codes use the main zone. Split areas use the more populous zone. */
const AREAS: Readonly<Record<string, Prefixes>> = {
  US: {
    'America/Chicago':
      '205 251 256 334 659 938 327 479 501 870 448 850 217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 861 872 219 ' +
      '319 515 563 641 712 316 620 785 913 270 364 225 318 337 457 504 985 218 320 507 612 651 763 924 952 228 471 601 662 769 ' +
      '235 314 417 557 573 636 660 816 975 308 402 531 701 405 539 572 580 918 605 615 629 731 901 931 210 214 254 281 325 346 ' +
      '361 409 430 432 469 512 682 713 726 737 806 817 830 832 903 936 940 945 956 972 979 262 274 353 414 534 608 715 920',
    'America/Denver': '303 719 720 970 983 208 986 406 505 575 385 435 801 307 915',
    'America/Phoenix': '480 520 602 623 928',
    'America/Los_Angeles':
      '209 213 279 310 323 341 350 357 369 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 747 760 805 818 820 ' +
      '831 837 840 858 909 916 925 949 951 702 725 775 458 503 541 971 206 253 360 425 509 564',
    'America/Anchorage': '907',
    'Pacific/Honolulu': '808',
  },
  CA: {
    'America/St_Johns': '709 879',
    'America/Halifax': '782 902',
    'America/Moncton': '428 506',
    'America/Winnipeg': '204 431 584',
    'America/Regina': '306 474 639',
    'America/Edmonton': '368 403 587 780 825 867',
    'America/Vancouver': '236 250 257 604 672 778',
  },
  BR: {
    'America/Manaus': '92 97',
    'America/Boa_Vista': '95',
    'America/Porto_Velho': '69',
    'America/Cuiaba': '65 66',
    'America/Campo_Grande': '67',
    'America/Rio_Branco': '68',
  },
  MX: {
    'America/Tijuana': '646 653 658 661 663 664 665 686',
    'America/Hermosillo': '622 623 631 632 633 634 637 638 641 642 643 644 645 647 651 662',
    'America/Mazatlan': '311 319 323 324 325 327 389 612 613 615 624 667 668 669 672 673 687 694 695 696 697 698',
    'America/Ciudad_Juarez': '656',
    'America/Matamoros': '867 868 877 878 899',
    'America/Cancun': '983 984 987 997 998',
  },
  ID: {
    'Asia/Makassar': '361 362 363 365 366 368 37 38 40 41 42 43 44 45 46 47 48 511 512 517 518 526 527 54 55',
    'Asia/Jayapura': '90 91 92 93 94 95 96 97 98',
  },
  AU: {
    'Australia/Melbourne': '3',
    'Australia/Brisbane': '7',
    'Australia/Adelaide': '87 88',
    'Australia/Darwin': '889',
    'Australia/Perth': '86 89',
  },
  RU: {
    'Europe/Kaliningrad': '401',
    'Europe/Samara': '341 846 848',
    'Asia/Yekaterinburg': '342 343 345 346 347 349 351 352 353',
    'Asia/Omsk': '381',
    'Asia/Novosibirsk': '382 383 384 385 388',
    'Asia/Krasnoyarsk': '390 391 394',
    'Asia/Irkutsk': '301 395',
    'Asia/Yakutsk': '302 411 416',
    'Asia/Vladivostok': '421 423 426',
    'Asia/Magadan': '413 424',
    'Asia/Kamchatka': '415 427',
  },
  ES: { 'Atlantic/Canary': '822 828 922 928' },
  PT: { 'Atlantic/Madeira': '291', 'Atlantic/Azores': '292 295 296' },
  NZ: { 'Pacific/Chatham': '3305' },
};

const LONGEST = 4;

const zones = new Map(
  Object.entries(AREAS).flatMap(([country, byZone]) =>
    Object.entries(byZone).flatMap(([zone, prefixes]) => prefixes.split(' ').map((prefix) => [`${country}${prefix}`, zone] as const)),
  ),
);

export function zoneOfPhone(digits: string): string | null {
  const facts = factsOf(digits);
  if (!facts) return null;
  const national = digits.slice(facts.callingCode.length);
  for (let length = LONGEST; facts.country in AREAS && length > 0; length -= 1) {
    const zone = zones.get(`${facts.country}${national.slice(0, length)}`);
    if (zone !== undefined) return zone;
  }
  return facts.timezone;
}
