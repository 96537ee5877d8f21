// A place in a parsed JSON text that knows how it is called, so that every complaint names the file
// and the JSON pointer. Knows nothing of reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/json_tree.hpp"
#include "report/text_pool.hpp"
#include "roofline/units.hpp"

namespace roofline::report {

/// Parses a whole text, or a value that lies `depth` levels within one. Throws InputError with line
/// and column; nesting beyond what a report has is refused, so that no text can exhaust the stack.
void parse_json(std::string_view text, std::string_view file, JsonTree& out, std::size_t depth = 0);
/// Throws as parse_json() does, and keeps nothing.
void check_json(std::string_view text, std::string_view file, std::size_t depth = 0);

/// What complaints call a tree: the file, and where in it the tree lies.
struct TreeName {
  std::string_view file;
  std::string pointer = {};
  TextPool* texts = nullptr;  ///< where texts are shared; nothing: nowhere
};

class Node {
 public:
  /// The outermost value. Tree and name must outlive the node.
  Node(const JsonTree& tree, const TreeName& name) : Node(tree, name, 0) {}

  /// A key that must be there and not null.
  [[nodiscard]] Node at(std::string_view key) const;
  /// Nothing when the key is missing or null: unknown.
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;

  [[nodiscard]] std::string text() const { return std::string(view()); }
  /// The same, as long as the tree lives.
  [[nodiscard]] std::string_view view() const;
  /// The same, in one piece of memory with all equal ones.
  [[nodiscard]] Text shared_text() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] double number() const;
  /// > 0.
  [[nodiscard]] double positive() const;
  /// A whole number that fits 64 bits.
  [[nodiscard]] std::uint64_t count() const;

  class Elements;
  class Members;
  /// Of a list, in order.
  [[nodiscard]] Elements elements() const;
  /// Key and value of an object, in order.
  [[nodiscard]] Members members() const;

  /// The value among `all` whose name() is the text.
  template <class Enum, std::size_t N>
  [[nodiscard]] Enum one_of(const Enum (&all)[N]) const {
    return one_of(std::span<const Enum>(all));
  }
  template <class Enum>
  [[nodiscard]] Enum one_of(std::span<const Enum> all) const {
    const std::string_view given = view();
    for (const Enum value : all) {
      if (name(value) == given) return value;
    }
    std::string known;
    for (const Enum value : all) known += (known.empty() ? "" : ", ") + std::string(name(value));
    fail_with(given, "not one of " + known);
  }

  // The value of a key, nothing where it is missing or null.
  [[nodiscard]] std::string text_or_empty(std::string_view key) const;
  [[nodiscard]] Text shared_or_empty(std::string_view key) const;
  [[nodiscard]] bool flag_or(std::string_view key, bool otherwise) const;
  [[nodiscard]] std::optional<double> maybe_number(std::string_view key) const;
  [[nodiscard]] std::optional<std::uint64_t> maybe_count(std::string_view key) const;
  template <class Quantity>
  [[nodiscard]] std::optional<Quantity> maybe(std::string_view key) const {
    const auto value = maybe_number(key);
    if (!value) return std::nullopt;
    return Quantity::from_si(*value);
  }
  template <class Enum, std::size_t N>
  [[nodiscard]] std::optional<Enum> maybe_one_of(std::string_view key, const Enum (&all)[N]) const {
    return maybe_one_of(key, std::span<const Enum>(all));
  }
  template <class Enum>
  [[nodiscard]] std::optional<Enum> maybe_one_of(std::string_view key,
                                                 std::span<const Enum> all) const {
    const auto node = find(key);
    if (!node) return std::nullopt;
    return node->one_of(all);
  }

  [[nodiscard]] const JsonValue& raw() const { return (*tree_)[index_]; }
  [[nodiscard]] Text shared(std::string_view text) const {
    return name_->texts != nullptr ? (*name_->texts)(text) : Text(text);
  }
  /// Throws InputError: `report.json: /points/3/noise is ..., ...`.
  [[noreturn]] void fail(const std::string& what) const;
  /// `... is 'given', what`, with a long text cut short.
  [[noreturn]] void fail_with(std::string_view given, const std::string& what) const;

 private:
  Node(const JsonTree& tree, const TreeName& name, std::uint32_t index)
      : tree_(&tree), name_(&name), index_(index) {}
  [[nodiscard]] Node sibling(std::uint32_t index) const { return {*tree_, *name_, index}; }
  void require(JsonValue::Kind kind, std::string_view wanted) const {
    if (raw().kind != kind) fail_for_want_of(wanted);
  }
  [[noreturn]] void fail_for_want_of(std::string_view wanted) const;
  [[noreturn]] void fail_at(const std::string& pointer, const std::string& what) const;

  const JsonTree* tree_;
  const TreeName* name_;
  std::uint32_t index_;
};

class Node::Elements {
 public:
  class Iterator {
   public:
    explicit Iterator(Node at) : at_(at) {}
    const Node& operator*() const { return at_; }
    Iterator& operator++() {
      at_.index_ = at_.raw().end;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_.index_ != other.at_.index_; }

   private:
    Node at_;
  };

  explicit Elements(const Node& list) : list_(list) {}
  [[nodiscard]] std::size_t size() const { return list_.raw().size; }
  [[nodiscard]] Iterator begin() const { return Iterator(list_.sibling(list_.index_ + 1)); }
  [[nodiscard]] Iterator end() const { return Iterator(list_.sibling(list_.raw().end)); }

 private:
  Node list_;
};

struct Member {
  std::string_view key;
  Node value;
};

class Node::Members {
 public:
  class Iterator {
   public:
    explicit Iterator(Node key) : key_(key) {}
    Member operator*() const { return {key_.raw().view(), key_.sibling(key_.index_ + 1)}; }
    Iterator& operator++() {
      key_.index_ = key_.sibling(key_.index_ + 1).raw().end;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return key_.index_ != other.key_.index_; }

   private:
    Node key_;
  };

  explicit Members(const Node& object) : object_(object) {}
  [[nodiscard]] std::size_t size() const { return object_.raw().size; }
  [[nodiscard]] Iterator begin() const { return Iterator(object_.sibling(object_.index_ + 1)); }
  [[nodiscard]] Iterator end() const { return Iterator(object_.sibling(object_.raw().end)); }

 private:
  Node object_;
};

}  // namespace roofline::report
