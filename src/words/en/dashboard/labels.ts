/** Albums, categories and tags of the dashboard. */
export const dashboardLabels = {
  newCategory: 'New category',
  noCategoriesForAdmin: 'A category sorts files of all users. Make the first one.',
  categoryHint: 'Its address stays, so that links keep working.',
  categoryTaken: 'There is a category of this name already.',
  tagHint: 'The name of another tag makes the two one.',
  searchTags: 'Search tags',
  moreTags: 'There are more tags. Search for the beginning of one.',
  rename: 'Rename',
  newName: 'New name',
  labelDelete: 'Delete',
  labelDeleteText: 'Its files stay, without it.',
  labelRule: 'A name has 1 to 32 characters; a tag has no commas.',
  labelGone: 'It is not there any more.',
  onlyOwner: 'Only the owner',
}
