/** Work on clothes, rooms, cars and homes, in the format of concepts.ts. */
export const HOUSEHOLD = `
kilo kg sekilo perkilo kilogram kilos kiloan_biasa
luntur fade fades fading bleed bleeds run_out_of_colour lose_colour colours_run memudar pudar
bedcover bed_cover bed_covers duvet duvets comforter badcover
sutra silk sutera
renda lace
pewangi parfum pengharum wangi fragrance scent scented
dryclean dry_clean dry_cleaning cuci_kering
cucian my_laundry laundrian
sneakers sneaker
deterjen detergent sabun_cuci
mesin_cuci washing_machine washer
jemuran clothesline
kerut wrinkle wrinkles kusut
kancing button buttons
ritsleting zip zipper zippers resleting
boneka doll dolls plush
helm helmet helmets
gorden curtain curtains tirai
kasur mattress mattresses springbed
debu dust dusty
pel mop mopping ngepel
sapu sweep broom
kaca window_glass glass_panes
kebocoran leak leaks leaking bocor
mampet clogged blocked_drain tersumbat
keran tap faucet kran
saklar switch switches
listrik_padam blackout mati_lampu
genteng roof roofing atap
cat_tembok wall_paint painting_walls ngecat mengecat
lantai_keramik tiles tile ubin
sedot_wc septic septic_tank
tikus rat rats mice mouse
kecoa cockroach cockroaches
semut ant ants
kulkas fridge refrigerator lemari_es
kompor stove cooker
gas_elpiji lpg elpiji
galon gallon water_gallon
ban tyre tyres tire tires
oli engine_oil oil_change ganti_oli
rem brake brakes
aki car_battery accu
knalpot exhaust
spion mirror_car
servis_rutin tune_up tuneup
derek tow towing
cuci_mobil car_wash carwash
sewa_mobil car_rental rental_mobil
bensin fuel petrol gasoline bbm
penumpang passenger passengers
dititip dititipkan titip leave_it drop_off nitip
`;
