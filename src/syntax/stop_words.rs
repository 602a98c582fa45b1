//! Words that say nothing about the subject of a text.

/// English function words, and the verbs and adverbs that any request has. Sorted.
const STOP_WORDS: [&str; 200] = [
    "a", "about", "above", "after", "again", "against", "all", "also", "always", "am", "an", "and", "any", "are",
    "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "cannot",
    "could", "did", "didn", "do", "does", "doesn", "doing", "don", "done", "down", "during", "each", "either", "else",
    "etc", "even", "ever", "every", "few", "for", "from", "further", "get", "gets", "getting", "give", "go", "goes",
    "going", "got", "had", "has", "have", "having", "he", "hello", "her", "here", "hers", "him", "his", "how",
    "however", "i", "if", "in", "instead", "into", "is", "isn", "it", "its", "itself", "just", "let", "lets", "like",
    "ll", "made", "make", "makes", "making", "many", "may", "maybe", "me", "might", "mine", "more", "most", "much",
    "must", "my", "need", "needs", "neither", "no", "nor", "not", "now", "of", "off", "ok", "on", "once", "one",
    "only", "onto", "or", "other", "our", "ours", "out", "over", "own", "per", "please", "put", "quite", "rather",
    "really", "same", "shall", "she", "should", "since", "so", "some", "somehow", "something", "still", "such",
    "than", "thanks", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "thing", "things",
    "this", "those", "through", "thus", "to", "together", "too", "toward", "under", "until", "up", "upon", "us",
    "use", "used", "uses", "using", "ve", "very", "via", "want", "wants", "was", "way", "we", "well", "were", "what",
    "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without",
    "would", "yes", "yet", "you", "your", "yours",
];

/// Whether a lower-case word is a stop word. Single letters are.
pub fn is_stop_word(word: &str) -> bool {
    (word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_lowercase())) || STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("x") && !is_stop_word("deploy") && !is_stop_word("7"));
    }
}
