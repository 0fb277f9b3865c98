/** Authors of the shop: name, country, year of birth. */
export const authors = [
  ['Jane Austen', 'England', 1775],
  ['Mary Shelley', 'England', 1797],
  ['Jules Verne', 'France', 1828],
  ['Louisa May Alcott', 'United States', 1832],
  ['H. G. Wells', 'England', 1866],
  ['Charlotte Brontë', 'England', 1816],
  ['Fyodor Dostoevsky', 'Russia', 1821],
  ['Selma Lagerlöf', 'Sweden', 1858],
  ['Natsume Sōseki', 'Japan', 1867],
  ['Virginia Woolf', 'England', 1882],
] as const;

/** Titles of the shop: title, name of the author, year, pages, genre. */
export const titles = [
  ['Emma', 'Jane Austen', 1815, 474, 'novel'],
  ['Persuasion', 'Jane Austen', 1817, 249, 'novel'],
  ['Pride and Prejudice', 'Jane Austen', 1813, 432, 'novel'],
  ['Sense and Sensibility', 'Jane Austen', 1811, 409, 'novel'],
  ['Northanger Abbey', 'Jane Austen', 1817, 254, 'gothic'],
  ['Mansfield Park', 'Jane Austen', 1814, 488, 'novel'],
  ['Frankenstein', 'Mary Shelley', 1818, 280, 'gothic'],
  ['The Last Man', 'Mary Shelley', 1826, 478, 'future'],
  ['Around the World in Eighty Days', 'Jules Verne', 1872, 252, 'travel'],
  ['From the Earth to the Moon', 'Jules Verne', 1865, 186, 'space'],
  ['Journey to the Centre of the Earth', 'Jules Verne', 1864, 183, 'travel'],
  ['Twenty Thousand Leagues Under the Seas', 'Jules Verne', 1870, 426, 'travel'],
  ['The Mysterious Island', 'Jules Verne', 1875, 723, 'travel'],
  ['Little Women', 'Louisa May Alcott', 1868, 449, 'family'],
  ['Good Wives', 'Louisa May Alcott', 1869, 328, 'family'],
  ['Little Men', 'Louisa May Alcott', 1871, 376, 'family'],
  ['The Time Machine', 'H. G. Wells', 1895, 118, 'future'],
  ['The War of the Worlds', 'H. G. Wells', 1898, 287, 'space'],
  ['The Invisible Man', 'H. G. Wells', 1897, 192, 'future'],
  ['Jane Eyre', 'Charlotte Brontë', 1847, 532, 'gothic'],
  ['Villette', 'Charlotte Brontë', 1853, 573, 'novel'],
  ['Shirley', 'Charlotte Brontë', 1849, 624, 'novel'],
  ['Crime and Punishment', 'Fyodor Dostoevsky', 1866, 545, 'crime'],
  ['The Idiot', 'Fyodor Dostoevsky', 1869, 656, 'novel'],
  ['White Nights', 'Fyodor Dostoevsky', 1848, 82, 'novel'],
  ['The Wonderful Adventures of Nils', 'Selma Lagerlöf', 1906, 514, 'family'],
  ['Gösta Berling’s Saga', 'Selma Lagerlöf', 1891, 398, 'novel'],
  ['I Am a Cat', 'Natsume Sōseki', 1905, 470, 'satire'],
  ['Kokoro', 'Natsume Sōseki', 1914, 248, 'novel'],
  ['Botchan', 'Natsume Sōseki', 1906, 184, 'satire'],
  ['Mrs Dalloway', 'Virginia Woolf', 1925, 194, 'novel'],
  ['To the Lighthouse', 'Virginia Woolf', 1927, 209, 'novel'],
  ['Orlando', 'Virginia Woolf', 1928, 333, 'satire'],
  ['The Waves', 'Virginia Woolf', 1931, 256, 'novel'],
] as const;

/** Editions of each title, with the share of the price. */
export const editions = [
  ['hardcover', 1],
  ['paperback', 0.6],
  ['large print', 0.85],
  ['e-book', 0.35],
  ['audio book', 0.75],
  ['school edition', 0.5],
] as const;

/** Shops: name, latitude, longitude. */
export const shops = [
  ['Harbour Street', 53.5459, 9.9681],
  ['Old Mill', 52.2297, 21.0122],
  ['Station Arcade', 59.3293, 18.0686],
] as const;

/** Users of the app: name, groups. */
export const users = [
  ['ada', ['staff', 'buyers']],
  ['grace', ['staff']],
  ['linus', ['buyers']],
  ['margaret', ['staff', 'readers']],
  ['alan', ['readers']],
  ['katherine', ['readers']],
  ['edsger', ['readers']],
  ['barbara', ['readers', 'buyers']],
] as const;

/** Text of reviews, with their stars. */
export const reviews = [
  [5, 'Read it in one weekend. The cover is even nicer in the hand.'],
  [4, 'A careful edition with good notes, only the type is a little small.'],
  [3, 'The translation takes some time to get used to.'],
  [5, 'A gift for my sister, who now wants the other five as well.'],
  [2, 'Arrived with a bent corner. The shop replaced it the same week.'],
] as const;
