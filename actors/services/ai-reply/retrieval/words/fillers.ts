/** Forms of address, greetings and softeners, which carry no content. */

export const FILLERS = `
kak kaka kakak gan agan sis sist sister bro brow mas mba mbak mbaknya bang abang bu ibu pak om
tante admin mimin boss bos juragan cs halo hallo haloo hai hi hello hey hei hy hay permisi punten
assalamualaikum asalamualaikum askum waalaikumsalam salam selamat pagi siang sore malam malem good
morning afternoon evening night dear sir madam miss ya yaa iya yah dong dongs donk nih ni sih deh
dech kok loh lho lah kan tuh tu toh wkwk wkwkwk haha hehe hihi xixi please thank thankyou terima
kasih makasih trims mksh makasi tolong mohon maaf sorry ok oke okay okey sip siap baik noted well
um uh
`;
