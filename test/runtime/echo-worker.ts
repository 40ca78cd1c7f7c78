export default (word: string): string => word;
